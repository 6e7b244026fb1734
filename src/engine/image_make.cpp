#include "engine/image_make.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/try.hpp"
#include "engine/failure.hpp"
#include "engine/json.hpp"
#include "engine/json_lines.hpp"

namespace lazaret::engine::image {
namespace {

// Status 200 was sent before the engine knew (P-35). Only the number tells what kind of failure.
Status failure_in(const nlohmann::json& line) {
  const nlohmann::json& detail = member(line, "errorDetail");
  std::string text = text_at(detail, "message");
  if (text.empty()) text = text_at(line, "error");
  if (text.empty() && !detail.is_object()) return {};
  const auto code = number_at(detail, "code").value_or(0);
  const Errc kind = code == 404                  ? Errc::image_missing
                    : code == 401 || code == 403 ? Errc::permission_denied
                                                 : Errc::engine;
  return Error(kind, text.empty() ? "the engine gave no reason" : one_line(text));
}

Progress progress_of(const nlohmann::json& line) {
  const nlohmann::json& detail = member(line, "progressDetail");
  const std::string stream = text_at(line, "stream");
  return {one_line(text_at(line, "id")),
          one_line(stream.empty() ? text_at(line, "status") : stream),
          number_at(detail, "current").value_or(0), number_at(detail, "total").value_or(0)};
}

// The words of the longest build are a hundredth of it.
constexpr std::size_t kMostSaid = 64UL << 20;

// Runs the operation and shows each line of its answer that is not a failure.
Status follow(const EngineClient& client, const Operation& operation, const JsonSink& sink,
              const Call& call) {
  JsonLines lines([&sink](const nlohmann::json& line) -> Status {
    LAZARET_CHECK(failure_in(line));
    return sink(line);
  });
  const auto take = [&lines, left = kMostSaid](Bytes piece) mutable -> Status {
    if (piece.size() > left) return Error(Errc::too_large, "the engine says more than 64 MiB");
    left -= piece.size();
    return lines.feed(piece);
  };
  const auto head = client.stream(operation, take, call);
  if (!head.ok()) return head.error();
  return lines.finish().within(operation.doing);
}

bool is_hex(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// "sha256:…", as both engines report it, or the bare digits of older Podman; else empty.
std::string id_in(std::string_view text) {
  constexpr std::string_view kPrefix = "sha256:";
  const std::string_view digits =
      text.substr(0, kPrefix.size()) == kPrefix ? text.substr(kPrefix.size()) : text;
  return digits.size() == 64 && is_hex(digits) ? std::string(text) : std::string();
}

std::string id_of_line(const nlohmann::json& line) {
  const std::string aux = text_at(member(line, "aux"), "ID");
  if (!aux.empty()) return id_in(aux);
  return id_in(progress_of(line).status);
}

// An engine that names ever more would fill our memory.
constexpr std::size_t kMostLoaded = 1000;

// "Loaded image: a:latest", "Loaded image ID: sha256:…", "Loaded image(s): a,b".
void collect_loaded(std::string_view text, std::vector<std::string>& images) {
  const std::size_t colon = text.find(": ");
  if (text.substr(0, 12) != "Loaded image" || colon == text.npos) return;
  std::string_view names = text.substr(colon + 2);
  while (!names.empty()) {
    const std::size_t comma = names.find(',');
    images.emplace_back(names.substr(0, comma));
    names = comma == names.npos ? std::string_view{} : names.substr(comma + 1);
  }
}

Operation upload_to(std::string doing, Target target, const http::BodySource& tar) {
  return {.doing = std::move(doing),
          .method = "POST",
          .target = std::move(target),
          .content_type = "application/x-tar",
          .upload = tar,
          .patience = Patience::long_timeout};
}

// Podman 4.3 overlooks a tag that comes as a parameter of its own.
std::string name_of(const ImportOptions& options) {
  if (options.repository.empty() || options.tag.empty()) return options.repository;
  return options.repository + ":" + options.tag;
}

Result<Target> build_target(const BuildOptions& options) {
  LAZARET_TRY(const std::string labels, json_text(options.labels));
  LAZARET_TRY(const std::string arguments, json_text(options.arguments));
  Target target = Target("build")
                      .query("dockerfile", options.dockerfile)
                      .query("labels", labels)
                      .query("buildargs", arguments)
                      .query("rm", "1")
                      .query("forcerm", "1")
                      .query_if("networkmode", options.network_mode);
  for (const std::string& tag : options.tags) target = std::move(target).query("t", tag);
  return target;
}

// Podman passes on as text what the registry says (OCI distribution: MANIFEST_UNKNOWN and such).
Status told_by_registry(Status pulled) {
  if (pulled.ok() || pulled.error().code() != Errc::engine) return pulled;
  const std::string message = pulled.error().message();
  for (const char* const words : {"manifest unknown", "repository name not known to registry"}) {
    if (message.ends_with(words)) return Error(pulled.error()).as(Errc::image_missing);
  }
  return pulled;
}

}  // namespace

Status pull(const EngineClient& client, const PullOptions& options, const Call& call) {
  Operation operation{.doing = "pulling the image",
                      .method = "POST",
                      .target = Target("images")
                                    .word("create")
                                    .query("fromImage", options.reference)
                                    .query_if("platform", options.platform),
                      .subject = Subject::image,
                      .patience = Patience::long_timeout};
  if (options.reference.empty()) {
    return Error(Errc::invalid_argument, "pulling the image: its name is empty");
  }
  if (!options.registry_auth.empty()) {
    operation.headers.push_back({"X-Registry-Auth", options.registry_auth});
  }
  const JsonSink show = [&options](const nlohmann::json& line) -> Status {
    if (options.progress) options.progress(progress_of(line));
    return {};
  };
  return told_by_registry(follow(client, operation, show, call));
}

Result<ImportResult> import_tar(const EngineClient& client, const ImportOptions& options,
                                const http::BodySource& tar, const Call& call) {
  Target target = Target("images")
                      .word("create")
                      .query("fromSrc", "-")
                      .query_if("repo", name_of(options))
                      .query_if("message", options.message)
                      .query_if("platform", options.platform);
  for (const std::string& change : options.changes) {
    target = std::move(target).query("changes", change);
  }
  ImportResult result;
  const JsonSink note = [&result](const nlohmann::json& line) -> Status {
    std::string id = id_of_line(line);
    if (!id.empty()) result.id = std::move(id);
    return {};
  };
  const std::string doing = "importing the image";
  LAZARET_CHECK(follow(client, upload_to(doing, std::move(target), tar), note, call));
  if (result.id.empty()) return Error(Errc::protocol, doing + ": the engine names no id");
  return result;
}

Result<LoadResult> load(const EngineClient& client, const http::BodySource& tar, const Call& call) {
  LoadResult result;
  const JsonSink note = [&result](const nlohmann::json& line) -> Status {
    collect_loaded(progress_of(line).status, result.images);
    if (result.images.size() <= kMostLoaded) return {};
    return Error(Errc::protocol,
                 "the engine names more than " + std::to_string(kMostLoaded) + " images");
  };
  const std::string doing = "loading images";
  Target target = Target("images").word("load").query("quiet", "1");
  LAZARET_CHECK(follow(client, upload_to(doing, std::move(target), tar), note, call));
  if (result.images.empty()) return Error(Errc::protocol, doing + ": the engine names none");
  return result;
}

Result<BuildResult> build(const EngineClient& client, const BuildOptions& options,
                          const http::BodySource& context, const Call& call) {
  BuildResult result;
  const JsonSink note = [&result, &options](const nlohmann::json& line) -> Status {
    std::string id = id_of_line(line);
    if (!id.empty()) result.id = std::move(id);
    if (options.progress) options.progress(progress_of(line));
    return {};
  };
  const std::string doing = "building the image";
  LAZARET_TRY(Target target, build_target(options));
  LAZARET_CHECK(follow(client, upload_to(doing, std::move(target), context), note, call));
  if (result.id.empty()) return Error(Errc::protocol, doing + ": the engine names no id");
  return result;
}

}  // namespace lazaret::engine::image
