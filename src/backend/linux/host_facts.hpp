#pragma once

#include <vector>

#include "backend/backend.hpp"
#include "backend/linux/cgroup_base.hpp"

namespace lazaret::backend::native {

/// What this host offers to boxes, looked for by trying (L-52): cgroups, namespaces, Landlock,
/// seccomp, resource limits and, for an ordinary user, ids.
[[nodiscard]] std::vector<HostFact> facts_of_host(const CgroupBase& cgroups);

}  // namespace lazaret::backend::native
