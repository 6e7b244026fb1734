#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/call.hpp"
#include "base/wire.hpp"

namespace lazaret::os {

enum class Addresses {
  any,
  public_ones,  ///< of the Internet at large (RFC 6890): no loopback, link-local, private or other
                ///< special one, nor one of this machine's or of its neighbours
};

/// Connects to the first of a host's addresses that answers; a host may be an address itself.
/// Errors: not_found (no such name), system (it cannot be looked up, and others),
/// permission_denied (it has no address of the allowed ones), connection_refused, timed_out,
/// cancelled, system.
[[nodiscard]] Result<std::unique_ptr<Wire>> connect_tcp(const std::string& host,
                                                        std::uint16_t port, Addresses allowed,
                                                        const Call& call);

}  // namespace lazaret::os
