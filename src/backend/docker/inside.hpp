#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backend/report.hpp"
#include "backend/verdict.hpp"
#include "policy/spec.hpp"

/// What the runner's report says of the controls that only containers have. Pure.
namespace lazaret::backend::docker {

/// memory, swap, cpu and pids, from the cgroup files that the box sees (version 1 or 2).
[[nodiscard]] std::vector<Reading> read_cgroup(const SelfReport& report, const policy::Spec& spec);

/// filesystem: none of the kernel's own files is open that harden() closes. `exists` says whether
/// this kernel has a path at all.
[[nodiscard]] Reading read_masks(const SelfReport& report,
                                 const std::function<bool(const std::string&)>& exists);

}  // namespace lazaret::backend::docker
