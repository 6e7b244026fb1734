#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lazaret::egress {

inline std::string number(std::size_t value, int width) {
  std::string text;
  for (int shift = (width - 1) * 8; shift >= 0; shift -= 8)
    text += static_cast<char>(value >> shift & 0xFF);
  return text;
}

inline std::string counted(std::string_view text, int width) {
  return number(text.size(), width).append(text);
}

inline std::string extension(std::size_t type, std::string_view content) {
  return number(type, 2) + counted(content, 2);
}

/// The extension that names a host (RFC 6066).
inline std::string server_name(std::string_view host) {
  return extension(0, counted(number(0, 1) + counted(host, 2), 2));
}

inline std::string record(std::string_view payload) { return "\x16\x03\x01" + counted(payload, 2); }

/// A ClientHello with these extensions, without its record.
inline std::string handshake(std::string_view extensions) {
  const std::string body = "\x03\x03" + std::string(32, 'r') + counted(std::string(32, 's'), 1) +
                           counted("\x13\x01", 2) + counted(std::string(1, '\0'), 1) +
                           counted(extensions, 2);
  return number(1, 1) + counted(body, 3);
}

inline std::string hello_for(std::string_view host) {
  const std::string before = extension(43, "\x02\x03\x04"), behind = extension(16, "");
  return record(handshake(before + server_name(host) + behind));
}

}  // namespace lazaret::egress
