#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "lazaret/result.hpp"
#include "policy/config.hpp"
#include "policy/spec.hpp"

namespace lazaret::core {

/// How many boxes of a kind are to wait whether anybody asks or not.
struct Ready {
  policy::Spec spec;
  std::uint32_t count = 0;
};

/// What `pool.ready` says; nothing where there is no pool. Errors: invalid_argument where more are
/// to wait than may, and for what is no request; unsupported for packages; and those of
/// policy::resolve.
[[nodiscard]] Result<std::vector<Ready>> ready_in(const policy::Config& config,
                                                  std::chrono::milliseconds default_grace);

}  // namespace lazaret::core
