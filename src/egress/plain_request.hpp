#pragma once

#include <string>

#include "base/endpoint.hpp"
#include "http/request_head.hpp"
#include "lazaret/result.hpp"

namespace lazaret::egress {

/// Where a request through a proxy leads, and what is sent there first.
struct PlainRequest {
  Endpoint to;
  std::string first;
};

/// Of CONNECT: what has come behind the head. Errors: protocol.
[[nodiscard]] Result<PlainRequest> tunnel_of(const http::RequestHead& head);
/// Of a request in absolute-form (RFC 9112, section 3.2.2) for http: the same in origin-form, for
/// the host that its target names and no other, the last of its connection, and without what is
/// meant for proxies. Errors: protocol.
[[nodiscard]] Result<PlainRequest> plain_request_of(const http::RequestHead& head);

}  // namespace lazaret::egress
