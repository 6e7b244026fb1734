#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/call.hpp"
#include "core/selftest/probe.hpp"
#include "core/selftest/report.hpp"
#include "lazaret/request.hpp"
#include "lazaret/result.hpp"

namespace lazaret::core::selftest {

/// How a request becomes a result: a service, or in tests something weaker. Called by several
/// threads at once.
using Execute = std::function<ExecutionResult(const ExecutionRequest& request)>;

enum class ControlRuns { made, left_out };

struct Battery {
  std::vector<Probe> probes;
  Execute execute;
  ControlRuns control = ControlRuns::made;
  unsigned workers = 2;
  /// Called after every step, by one thread at a time.
  std::function<void(std::size_t done, std::size_t all)> progress = {};
};

/// Runs every probe in boxes, and those that are harmless without one, too. Errors: when no box can
/// be made at all, with what the backend said.
[[nodiscard]] Result<Report> run_battery(const Battery& battery, const Call& call);

}  // namespace lazaret::core::selftest
