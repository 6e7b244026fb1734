#include "policy/hosts.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/number.hpp"
#include "base/split.hpp"
#include "base/try.hpp"
#include "base/utf8.hpp"
#include "policy/config.hpp"
#include "policy/invalid.hpp"
#include "policy/quantity.hpp"

namespace lazaret::policy {
namespace {

constexpr std::size_t kMostRules = 64, kLongestLabel = 63;
constexpr std::array<std::uint16_t, 2> kWeb = {80, 443};

// What resolvers read as a number (inet_aton(3)): its last label is one, in whatever base.
bool looks_numeric(std::string_view host) {
  const std::string_view last = host.substr(host.rfind('.') + 1);
  return last.starts_with("0x") || last.find_first_not_of("0123456789") == last.npos;
}

// Four numbers in their usual form: what everybody reads alike.
bool is_ipv4(std::string_view host) {
  constexpr std::uint64_t kMost = 255;
  const auto parts = split(host, '.');
  return parts.size() == 4 && std::ranges::all_of(parts, [](std::string_view part) {
           const auto number = parse_number(part);
           return number && *number <= kMost && std::to_string(*number) == part;
         });
}

bool is_label(std::string_view label) {
  return !label.empty() && label.size() <= kLongestLabel && label.front() != '-' &&
         label.back() != '-';
}

bool is_name(std::string_view host) {
  return std::ranges::all_of(split(host, '.'), is_label) && !looks_numeric(host);
}

Error no_host(std::string_view text) {
  return invalid(in_quotes(printable(text, '?')) + " is no host")
      .with_hint(
          "HOST, HOST:PORT or *.HOST, as in api.example.com; an IPv6 address in brackets, a name "
          "of other letters as xn--…");
}

bool is_same_or_below(const HostRule& rule, std::string_view host) {
  if (!rule.is_below) return rule.host == host;
  return host.size() > rule.host.size() + 1 && host.ends_with(rule.host) &&
         host[host.size() - rule.host.size() - 1] == '.';
}

Error not_configured(const HostRule& rule) {
  return Error(Errc::permission_denied,
               text_of(rule) + " is none of the hosts that the configuration lets programs reach")
      .with_hint("add it to egress.hosts of the user's or the system's configuration");
}

}  // namespace

bool HostRule::permits(const Endpoint& to) const {
  const bool is_port = port ? *port == to.port : std::ranges::find(kWeb, to.port) != kWeb.end();
  return is_port && is_same_or_below(*this, to.host);
}

bool HostRule::covers(const HostRule& other) const {
  const bool has_ports =
      port == other.port || (!port && std::ranges::find(kWeb, *other.port) != kWeb.end());
  const bool has_hosts =
      other.is_below ? is_below && (host == other.host || is_same_or_below(*this, other.host))
                     : is_same_or_below(*this, other.host);
  return has_ports && has_hosts;
}

Result<HostRule> host_rule_in(std::string_view text) {
  constexpr std::string_view kBelow = "*.";
  HostRule rule;
  rule.is_below = text.starts_with(kBelow);
  const std::string_view rest = rule.is_below ? text.substr(kBelow.size()) : text;
  const auto endpoint = endpoint_in(rest, kWeb.back());
  if (!endpoint) return no_host(text);
  const bool is_ipv6 = endpoint->host.find(':') != std::string::npos;
  const bool is_address = is_ipv6 || is_ipv4(endpoint->host);
  const bool is_host = is_address ? !rule.is_below : is_name(endpoint->host);
  if (!is_host) return no_host(text);
  rule.host = endpoint->host;
  if (names_port(rest)) rule.port = endpoint->port;
  return rule;
}

std::string text_of(const HostRule& rule) {
  const bool is_bracketed = rule.host.find(':') != std::string::npos;
  const std::string host = is_bracketed ? "[" + rule.host + "]" : rule.host;
  return (rule.is_below ? "*." : "") + host + (rule.port ? ":" + std::to_string(*rule.port) : "");
}

Status check_egress_host(std::string_view text) {
  if (text == kPublicHosts) return {};
  LAZARET_CHECK(host_rule_in(text));
  return {};
}

Result<Egress> egress_of(const std::vector<std::string>& asked,
                         const std::set<std::string>& configured) {
  Egress egress;
  if (asked.size() > kMostRules) return Error(Errc::too_large, "more than 64 hosts");
  for (const std::string& text : configured) {
    if (text == kPublicHosts) continue;
    LAZARET_TRY(HostRule named, host_rule_in(text));
    egress.named.push_back(std::move(named));
  }
  const bool are_public = configured.contains(std::string(kPublicHosts));
  for (const std::string& text : asked) {
    LAZARET_TRY(HostRule rule, host_rule_in(text));
    const auto covers = [&rule](const HostRule& named) { return named.covers(rule); };
    if (!are_public && std::ranges::none_of(egress.named, covers)) return not_configured(rule);
    egress.hosts.push_back(std::move(rule));
  }
  return egress;
}

}  // namespace lazaret::policy
