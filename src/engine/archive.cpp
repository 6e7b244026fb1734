#include "engine/archive.hpp"

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/try.hpp"
#include "engine/json.hpp"

namespace lazaret::engine::archive {
namespace {

Target of(std::string_view id, std::string_view path) {
  return Target("containers").id(id).word("archive").query("path", path);
}

// The value of a digit in either alphabet of RFC 4648, or -1.
int base64_value(char c) noexcept {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+' || c == '-') return 62;
  return c == '/' || c == '_' ? 63 : -1;
}

Result<std::string> from_base64(std::string_view text) {
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    const int value = base64_value(c);
    if (value < 0) return Error(Errc::protocol, "the engine's path stat is not base64");
    bits = (bits << 6 | static_cast<unsigned>(value)) & 0xffffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xff);
  }
  return bytes;
}

}  // namespace

Result<Stat> parse_stat(std::string_view header) {
  LAZARET_TRY(const std::string text, from_base64(header));
  LAZARET_TRY(const nlohmann::json object, parse_object(text));
  const auto mode = number_at(object, "mode");
  const auto size = number_at(object, "size");
  if (!mode || *mode < 0 || *mode > 0xffffffffLL || !size || *size < 0) {
    return Error(Errc::protocol, "the engine's path stat has no mode or size");
  }
  return Stat{text_at(object, "name"), *size, static_cast<std::uint32_t>(*mode),
              text_at(object, "linkTarget")};
}

Status put(const EngineClient& client, std::string_view id, std::string_view path,
           const http::BodySource& tar, const Call& call) {
  const auto response = client.transact({.doing = "copying files into the container",
                                         .method = "PUT",
                                         .target = of(id, path).query("noOverwriteDirNonDir", "1"),
                                         .content_type = "application/x-tar",
                                         .upload = tar},
                                        call);
  return response.ok() ? Status() : Status(response.error());
}

Result<Stat> get(const EngineClient& client, std::string_view id, const GetOptions& options,
                 const http::BodySink& sink, const Call& call) {
  const Operation operation{.doing = "copying files out of the container",
                            .method = "GET",
                            .target = of(id, options.path)};
  const http::BodySink capped = [&sink, left = options.cap_bytes](Bytes piece) mutable -> Status {
    if (piece.size() > left) return Error(Errc::too_large, "more than the cap on what is read");
    left -= piece.size();
    return sink(piece);
  };
  LAZARET_TRY(const http::ResponseHead head, client.stream(operation, capped, call));
  return parse_stat(head.header("X-Docker-Container-Path-Stat")).within(operation.doing);
}

Result<Stat> stat(const EngineClient& client, std::string_view id, std::string_view path,
                  const Call& call) {
  const Operation operation{
      .doing = "looking at a path of the container", .method = "HEAD", .target = of(id, path)};
  LAZARET_TRY(const http::Response response, client.transact(operation, call));
  return parse_stat(response.head.header("X-Docker-Container-Path-Stat")).within(operation.doing);
}

}  // namespace lazaret::engine::archive
