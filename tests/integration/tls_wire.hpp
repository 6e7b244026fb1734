#pragma once

#include <memory>
#include <string>

#include "base/wire.hpp"

namespace lazaret::test {

/// TLS (OpenSSL's own client) over a wire, once both have greeted; null, and a failure of the test,
/// where that does not come about. It believes whoever answers.
[[nodiscard]] std::unique_ptr<Wire> tls_over(std::unique_ptr<Wire> wire);

}  // namespace lazaret::test
