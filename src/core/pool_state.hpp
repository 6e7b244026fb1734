#pragma once

#include <string>
#include <vector>

#include "pool/pool.hpp"

namespace lazaret::core {

/// What one backend has ready, and what it has done so far.
struct PoolState {
  std::string backend;
  pool::Counts counts;
  std::vector<pool::Stand> stands;
};

/// {"pools": […]}, as GET /v1/pool gives it: a kind is named by its language and a digest of
/// everything else that boxes of it have in common. Memory that is not known is left out.
[[nodiscard]] std::string to_json(const std::vector<PoolState>& pools);

}  // namespace lazaret::core
