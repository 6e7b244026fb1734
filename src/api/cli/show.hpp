#pragma once

#include "api/cli/command.hpp"
#include "api/cli/live_output.hpp"
#include "api/cli/run_request.hpp"
#include "lazaret/execution_result.hpp"

namespace lazaret::cli {

/// What the user sees of a result, behind the output that was shown live; false where not all of it
/// could be written.
[[nodiscard]] bool show(const ExecutionResult& result, const ExecutionRequest& request,
                        LiveOutput& live, const Common& common, const RunFlags& flags);
/// The result as JSON, whole or its summary, on standard output; false where it could not be
/// written.
[[nodiscard]] bool print_result(const ExecutionResult& result, const Common& common);
/// The exit status that a result stands for.
[[nodiscard]] int status_of(const ExecutionResult& result);

}  // namespace lazaret::cli
