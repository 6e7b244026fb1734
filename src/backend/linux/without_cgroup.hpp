#pragma once

#include <string>
#include <vector>

#include "backend/report.hpp"
#include "backend/verdict.hpp"
#include "policy/spec.hpp"

namespace lazaret::backend::native {

/// What stands in for the cgroup where there is none: said as it is, never more. `why` there is
/// none goes with each.
[[nodiscard]] std::vector<Reading> readings_without_cgroup(const policy::Spec& spec,
                                                           const SelfReport& report,
                                                           const std::string& why);

}  // namespace lazaret::backend::native
