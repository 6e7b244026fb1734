#pragma once

#include <optional>
#include <vector>

#include "backend/backend.hpp"
#include "backend/linux/cgroup_base.hpp"
#include "backend/linux/order.hpp"

namespace lazaret::backend::native {

/// What this host offers to boxes, looked for by trying (L-52): cgroups, namespaces, Landlock,
/// seccomp, resource limits and, for an ordinary user, ids. `tried`: who a box was, where one was
/// made.
[[nodiscard]] std::vector<HostFact> facts_of_host(const CgroupBase& cgroups,
                                                  const std::optional<Identity>& tried);

}  // namespace lazaret::backend::native
