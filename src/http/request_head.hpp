#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/call.hpp"
#include "base/wire.hpp"
#include "http/exchange.hpp"
#include "lazaret/result.hpp"

namespace lazaret::http {

/// What a client has said before a body, and what came with it.
struct RequestHead {
  std::string method;
  std::string target;
  bool is_1_0 = false;  ///< HTTP/1.0, and not 1.1
  std::vector<Header> headers;
  std::string leftover;  ///< the beginning of what follows the head
};

/// The head of the one request that is read from a connection. It is hostile: it ends by 16 KiB.
/// Errors besides those of the wire: protocol (not HTTP/1), connection_lost (ended early),
/// too_large.
[[nodiscard]] Result<RequestHead> read_request_head(Wire& wire, const Call& call);

}  // namespace lazaret::http
