#pragma once

#include "backend/backend.hpp"
#include "base/call.hpp"
#include "core/one_run.hpp"
#include "lazaret/execution_result.hpp"
#include "lazaret/request.hpp"
#include "policy/spec.hpp"
#include "runner/client.hpp"

namespace lazaret::core {

/// What became of a run, and whether there was a box for it: without one nothing has run.
struct Ran {
  ExecutionResult result;
  bool had_box = false;
};

/// The story of one run, from a resolved request to a result: open a box, run the program in it,
/// end it in time, look at what is left, and say why it ended.
[[nodiscard]] Ran run(backend::Backend& backend, const ExecutionRequest& request,
                      const policy::Spec& spec);

/// The same in a box that is there and stays; `spec.keeps_box` must be set, and the client be the
/// box's only one.
[[nodiscard]] OneRun run_kept(backend::Box& box, runner::Client& client,
                              const ExecutionRequest& request, const policy::Spec& spec);

/// The result of a request that never became a run, or of a run that our own trouble ended.
[[nodiscard]] ExecutionResult failed_run(const Error& error);

}  // namespace lazaret::core
