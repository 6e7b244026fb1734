#include "egress/client_hello.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lazaret::egress {
namespace {

using Kind = ServerName::Kind;

constexpr unsigned char kFirstType = 0x14, kLastType = 0x18, kNoVersion = 0x10;
constexpr std::uint32_t kHandshake = 0x16, kClientHello = 1, kServerName = 0, kHostName = 0;
constexpr std::size_t kMostBytes = 64UL << 10, kRandom = 32, kVersion = 2, kHandshakeHead = 4;

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
  std::string_view take_up_to(std::size_t size) {
    std::string_view piece;
    (void)take(std::min(size, rest_.size()), piece);
    return piece;
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
    std::uint32_t type = 0, version = 0, size = 0;
    handshake.is_over = reader.number(1, type) && type != kHandshake;
    if (handshake.is_over || !reader.number(kVersion, version) || !reader.number(2, size)) break;
    handshake.is_over = size == 0;
    if (handshake.is_over) break;
    handshake.text += reader.take_up_to(size);
  }
  return handshake;
}

// A list of names, of which there is one of each kind.
ServerName name_in(std::string_view extension) {
  std::string_view list;
  Reader outer(extension);
  if (!outer.counted(2, list) || !outer.is_empty()) return {Kind::unreadable};
  Reader reader(list);
  std::uint32_t kind = 0;
  std::string_view host;
  if (!reader.number(1, kind) || !reader.counted(2, host) || !reader.is_empty() ||
      kind != kHostName || host.empty())
    return {Kind::unreadable};
  return {Kind::named, std::string(host)};
}

ServerName name_among(std::string_view extensions) {
  ServerName found;
  for (Reader reader(extensions); !reader.is_empty();) {
    std::uint32_t type = 0;
    std::string_view content;
    if (!reader.number(2, type) || !reader.counted(2, content)) return {Kind::unreadable};
    if (type != kServerName) continue;
    if (found.kind != Kind::absent) return {Kind::unreadable};  // RFC 8446: one of a type
    found = name_in(content);
  }
  return found;
}

ServerName name_of_hello(std::string_view body) {
  Reader reader(body);
  std::string_view skipped, session, suites, compressions, extensions;
  const bool is_hello = reader.take(kVersion + kRandom, skipped) && reader.counted(1, session) &&
                        reader.counted(2, suites) && reader.counted(1, compressions);
  if (!is_hello) return {Kind::unreadable};
  if (reader.is_empty()) return {};
  if (!reader.counted(2, extensions) || !reader.is_empty()) return {Kind::unreadable};
  return name_among(extensions);
}

enum class Beginning { unsure, of_something_else, of_a_handshake, of_tls };

// What its record says of its version is not to be relied upon (RFC 8446, section 5.1), and some
// servers pass over an alert that comes before a handshake.
Beginning beginning_of(std::string_view bytes) {
  if (bytes.empty()) return Beginning::unsure;
  const auto type = static_cast<unsigned char>(bytes[0]);
  if (type < kFirstType || type > kLastType) return Beginning::of_something_else;
  if (bytes.size() == 1) return Beginning::unsure;
  if (static_cast<unsigned char>(bytes[1]) >= kNoVersion) return Beginning::of_something_else;
  return type == kHandshake ? Beginning::of_a_handshake : Beginning::of_tls;
}

ServerName name_in_handshake(const Handshake& handshake) {
  Reader reader(handshake.text);
  std::uint32_t type = kClientHello, size = 0;
  (void)reader.number(1, type);
  const bool has_size = reader.number(3, size);
  const std::size_t whole = kHandshakeHead + size;
  if (type != kClientHello || whole > kMostBytes) return {Kind::unreadable};
  if (has_size && handshake.text.size() >= whole)
    return name_of_hello(std::string_view(handshake.text).substr(kHandshakeHead, size));
  if (handshake.is_over) return {Kind::unreadable};
  return {Kind::needs_more, {}, std::max<std::size_t>(whole - handshake.text.size(), 1)};
}

}  // namespace

ServerName server_name_in(std::string_view bytes) {
  switch (beginning_of(bytes)) {
    case Beginning::unsure: return {Kind::needs_more};
    case Beginning::of_something_else: return {};
    case Beginning::of_tls: return {Kind::unreadable};
    case Beginning::of_a_handshake: break;
  }
  if (bytes.size() >= kMostBytes) return {Kind::unreadable};
  return name_in_handshake(handshake_in(bytes));
}

}  // namespace lazaret::egress
