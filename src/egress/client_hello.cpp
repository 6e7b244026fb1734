#include "egress/client_hello.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lazaret::egress {
namespace {

using Kind = ServerName::Kind;

constexpr char kHandshake = 0x16, kMajorVersion = 3, kClientHello = 1;
constexpr std::size_t kMostBytes = 64UL << 10, kRandom = 32, kVersion = 2;
constexpr std::uint32_t kServerName = 0, kHostName = 0;

// Takes numbers and pieces from the front; false once there is too little.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  bool number(std::size_t width, std::uint32_t& value) {
    std::string_view piece;
    if (!take(width, piece)) return false;
    value = 0;
    for (const char byte : piece) value = value << 8 | static_cast<unsigned char>(byte);
    return true;
  }
  bool take(std::size_t size, std::string_view& piece) {
    if (rest_.size() < size) return false;
    piece = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }
  // A piece behind its length, which has so many bytes.
  bool counted(std::size_t width, std::string_view& piece) {
    std::uint32_t size = 0;
    return number(width, size) && take(size, piece);
  }
  [[nodiscard]] bool is_empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

// What the first records hold, as far as they are there.
struct Handshake {
  std::string text;
  bool is_over = false;  // something else follows, or what may not be
};

Handshake handshake_in(std::string_view bytes) {
  Handshake handshake;
  for (Reader reader(bytes); !reader.is_empty();) {
    std::uint32_t type = 0, version = 0;
    std::string_view record;
    handshake.is_over = reader.number(1, type) && type != static_cast<std::uint32_t>(kHandshake);
    if (handshake.is_over || !reader.number(kVersion, version) || !reader.counted(2, record)) break;
    handshake.is_over = record.empty();
    if (handshake.is_over) break;
    handshake.text += record;
  }
  return handshake;
}

ServerName named(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  ServerName found{Kind::named, std::string(host)};
  std::ranges::transform(found.name, found.name.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return found;
}

// A list of names, of which there is one of each kind.
ServerName name_in(std::string_view extension) {
  std::string_view list;
  Reader outer(extension);
  if (!outer.counted(2, list) || !outer.is_empty()) return {Kind::unreadable, {}};
  Reader reader(list);
  std::uint32_t kind = 0;
  std::string_view host;
  if (!reader.number(1, kind) || !reader.counted(2, host) || !reader.is_empty() ||
      kind != kHostName || host.empty())
    return {Kind::unreadable, {}};
  return named(host);
}

ServerName name_among(std::string_view extensions) {
  ServerName found;
  for (Reader reader(extensions); !reader.is_empty();) {
    std::uint32_t type = 0;
    std::string_view content;
    if (!reader.number(2, type) || !reader.counted(2, content)) return {Kind::unreadable, {}};
    if (type != kServerName) continue;
    if (found.kind != Kind::absent) return {Kind::unreadable, {}};  // RFC 8446: one of a type
    found = name_in(content);
  }
  return found;
}

ServerName name_of_hello(std::string_view body) {
  Reader reader(body);
  std::string_view skipped, session, suites, compressions, extensions;
  const bool is_hello = reader.take(kVersion + kRandom, skipped) && reader.counted(1, session) &&
                        reader.counted(2, suites) && reader.counted(1, compressions);
  if (!is_hello) return {Kind::unreadable, {}};
  if (reader.is_empty()) return {};
  if (!reader.counted(2, extensions) || !reader.is_empty()) return {Kind::unreadable, {}};
  return name_among(extensions);
}

}  // namespace

ServerName server_name_in(std::string_view bytes) {
  if (bytes.empty()) return {Kind::needs_more, {}};
  if (bytes[0] != kHandshake || (bytes.size() > 1 && bytes[1] != kMajorVersion)) return {};
  if (bytes.size() >= kMostBytes) return {Kind::unreadable, {}};
  const Handshake handshake = handshake_in(bytes);
  const Kind unfinished = handshake.is_over ? Kind::unreadable : Kind::needs_more;
  Reader reader(handshake.text);
  std::uint32_t type = 0;
  std::string_view body;
  if (!reader.number(1, type)) return {unfinished, {}};
  if (type != static_cast<std::uint32_t>(kClientHello)) return {Kind::unreadable, {}};
  if (!reader.counted(3, body)) return {unfinished, {}};
  return name_of_hello(body);
}

}  // namespace lazaret::egress
