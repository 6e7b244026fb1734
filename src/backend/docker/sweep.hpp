#pragma once

#include <vector>

#include "backend/leases.hpp"
#include "backend/sweep.hpp"
#include "engine/client.hpp"

namespace lazaret::backend::docker {

/// Whether the journal knows of something that a dead process has left on the leases' engine, or of
/// a directory for one: a look at it is cheap.
[[nodiscard]] bool has_left_something(const Leases& leases);

/// Containers and volumes of one engine. `leases` may have no journal. Settles the leases of what
/// is gone; what is not there and was asked for within the last ten seconds is pending, and its
/// lease stays for five minutes.
[[nodiscard]] std::vector<Finding> sweep_engine(const engine::EngineClient& client,
                                                const Leases& leases, Act act, const Call& call);

/// Seccomp profiles in the folder for temporary files, and where the journal says.
[[nodiscard]] std::vector<Finding> sweep_directories(const Leases& leases, Act act);

}  // namespace lazaret::backend::docker
