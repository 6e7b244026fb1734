#pragma once

#include <optional>

#include "lazaret/execution_result.hpp"
#include "lazaret/request.hpp"
#include "policy/config.hpp"

namespace lazaret::cli {

/// Runs in this user's daemon, if there is one of this version and with this configuration that has
/// room; otherwise nothing has happened and nothing of standard input was taken. The result is the
/// one that this process would have come to; when the daemon goes away in the middle, the cause is
/// infrastructure_lost.
[[nodiscard]] std::optional<ExecutionResult> run_in_daemon(const policy::Config& config,
                                                           const ExecutionRequest& request);

}  // namespace lazaret::cli
