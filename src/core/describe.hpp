#pragma once

#include "lazaret/execution_result.hpp"
#include "lazaret/request.hpp"
#include "policy/spec.hpp"

namespace lazaret::core {

/// Writes down what a result says about its request, whatever became of it: a run's id, which is
/// new each time, our version, language, limits, image. The spec is null where there was none.
void describe(ExecutionResult& result, const ExecutionRequest& request, const policy::Spec* spec);

}  // namespace lazaret::core
