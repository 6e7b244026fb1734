#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/endpoint.hpp"
#include "lazaret/result.hpp"

namespace lazaret::policy {

/// Where in a box the way out of it begins: the port of its loopback that leads to a proxy of ours.
inline constexpr std::uint16_t kWayOutPort = 3128;

/// Hosts that may be reached: one by its name or address, or all below a name.
struct HostRule {
  std::string host;                   ///< in lower case
  bool is_below = false;              ///< "*.host": those below it, and not itself
  std::optional<std::uint16_t> port;  ///< unset: 80 and 443

  [[nodiscard]] bool permits(const Endpoint& to) const;
  /// Whether this permits all that the other one does.
  [[nodiscard]] bool covers(const HostRule& other) const;
  bool operator==(const HostRule&) const = default;
};

/// HOST, *.HOST, either with :PORT. A host is a name in ASCII (an international one as it is asked
/// for, "xn--…"), an IPv4 address in its usual form, or an IPv6 address in brackets. Errors:
/// invalid_argument, saying what it must be.
[[nodiscard]] Result<HostRule> host_rule_in(std::string_view text);
/// As it is read.
[[nodiscard]] std::string text_of(const HostRule& rule);

/// Whether it can be in Config::egress_hosts. Errors: invalid_argument.
[[nodiscard]] Status check_egress_host(std::string_view text);

/// Whom a program may reach.
struct Egress {
  std::vector<HostRule> hosts;  ///< none: there is no way out
  std::vector<HostRule> named;  ///< those of them are reached at whatever address
};

/// What a request asks for, as far as the configured hosts let it. Errors: invalid_argument,
/// too_large (more than 64), permission_denied.
[[nodiscard]] Result<Egress> egress_of(const std::vector<std::string>& asked,
                                       const std::set<std::string>& configured);

}  // namespace lazaret::policy
