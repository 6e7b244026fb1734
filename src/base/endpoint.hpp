#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lazaret {

/// Where a connection leads.
struct Endpoint {
  std::string host;  ///< a name or an address, in lower case; an IPv6 address without brackets
  std::uint16_t port = 0;
  bool operator==(const Endpoint&) const = default;
};

/// "host:port", with an IPv6 address in brackets. Unset: it is none.
[[nodiscard]] std::optional<Endpoint> endpoint_in(std::string_view text);

/// The same where a port may be left out, which is the other one then.
[[nodiscard]] std::optional<Endpoint> endpoint_in(std::string_view text, std::uint16_t otherwise);
/// Whether there is a port in it, behind a name or a closing bracket.
[[nodiscard]] bool names_port(std::string_view text);

/// As it is read.
[[nodiscard]] std::string text_of(const Endpoint& endpoint);

}  // namespace lazaret
