#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/report.hpp"
#include "backend/verdict.hpp"
#include "policy/spec.hpp"

namespace lazaret::backend::native {

/// Whether RLIMIT_NPROC counts by user namespace, as since Linux 5.14 (getrlimit(2)), and not by
/// the user of the host (P-51). `release` as uname(2) has it; one that is none does not.
[[nodiscard]] bool counts_tasks_by_namespace(std::string_view release);

/// What stands in for the cgroup where there is none: said as it is, never more. `why` there is
/// none goes with each.
[[nodiscard]] std::vector<Reading> readings_without_cgroup(const policy::Spec& spec,
                                                           const SelfReport& report,
                                                           const std::string& why);

}  // namespace lazaret::backend::native
