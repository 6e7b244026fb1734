#pragma once

#include <vector>

#include "backend/backend.hpp"
#include "engine/system.hpp"

namespace lazaret::backend::docker {

/// What an engine says its machine gives to boxes, and what would bring the rest. Its own word: the
/// evidence of a box is what counts.
[[nodiscard]] std::vector<HostFact> facts_of(const engine::system::Info& info);

}  // namespace lazaret::backend::docker
