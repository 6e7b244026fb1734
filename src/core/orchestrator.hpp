#pragma once

#include "backend/backend.hpp"
#include "base/call.hpp"
#include "lazaret/execution_result.hpp"
#include "lazaret/request.hpp"
#include "policy/spec.hpp"

namespace lazaret::core {

/// The story of one run, from a resolved request to a result: open a box, run the program in it,
/// end it in time, look at what is left, and say why it ended.
[[nodiscard]] ExecutionResult run(backend::Backend& backend, const ExecutionRequest& request,
                                  const policy::Spec& spec);

/// The result of a request that never became a run, or of a run that our own trouble ended.
[[nodiscard]] ExecutionResult failed_run(const Error& error);

}  // namespace lazaret::core
