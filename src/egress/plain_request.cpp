#include "egress/plain_request.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/letters.hpp"
#include "base/split.hpp"

namespace lazaret::egress {
namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::uint16_t kPort = 80;

// Those of one connection alone, and the host, which the target says (RFC 9110, section 7.6.1).
bool is_left_out(std::string_view name) {
  constexpr std::array<std::string_view, 6> kOurs = {"host", "connection", "keep-alive",
                                                     "te",   "upgrade",    "http2-settings"};
  const std::string text = lower_case(name);
  return text.starts_with("proxy-") || std::ranges::find(kOurs, text) != kOurs.end();
}

// What `Connection` names goes with it.
std::set<std::string> nominated_in(const std::vector<http::Header>& headers) {
  std::set<std::string> names;
  for (const http::Header& header : headers) {
    if (lower_case(header.name) != "connection") continue;
    for (std::string_view word : split(header.value, ',')) {
      word.remove_prefix(std::min(word.find_first_not_of(" \t"), word.size()));
      names.insert(lower_case(word.substr(0, word.find_first_of(" \t"))));
    }
  }
  return names;
}

// The fields that go on.
std::string fields_of(const http::RequestHead& head) {
  std::string fields;
  const std::set<std::string> nominated = nominated_in(head.headers);
  for (const http::Header& header : head.headers) {
    if (!is_left_out(header.name) && !nominated.contains(lower_case(header.name)))
      fields += header.name + ": " + header.value + "\r\n";
  }
  return fields;
}

Error no_request(const std::string& what) { return Error(Errc::protocol, what); }

}  // namespace

Result<PlainRequest> tunnel_of(const http::RequestHead& head) {
  auto to = endpoint_in(head.target);
  if (!to) return no_request("CONNECT takes HOST:PORT");
  return PlainRequest{*std::move(to), head.leftover};
}

Result<PlainRequest> plain_request_of(const http::RequestHead& head) {
  const std::string_view target = head.target;
  if (lower_case(target.substr(0, kHttp.size())) != kHttp)
    return no_request("this is a proxy: it takes CONNECT and http://HOST/");
  const std::string_view rest = target.substr(kHttp.size());
  const std::size_t end = std::min(rest.find_first_of("/?#"), rest.size());
  const std::string authority(rest.substr(0, end));
  auto to = endpoint_in(authority, kPort);
  if (!to) return no_request("no host in the request's target");
  const std::string path(rest.substr(end));
  std::string first = head.method + " " + (path.starts_with('/') ? "" : "/") + path +
                      (head.is_1_0 ? " HTTP/1.0" : " HTTP/1.1") + "\r\nHost: " + authority + "\r\n";
  first += fields_of(head) + "Connection: close\r\n\r\n" + head.leftover;
  return PlainRequest{*std::move(to), std::move(first)};
}

}  // namespace lazaret::egress
