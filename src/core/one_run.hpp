#pragma once

#include "backend/backend.hpp"
#include "lazaret/execution_result.hpp"
#include "lazaret/request.hpp"
#include "policy/spec.hpp"
#include "runner/client.hpp"

namespace lazaret::core {

/// What became of one program in a box that is there.
struct OneRun {
  ExecutionResult result;
  bool can_go_on = false;  ///< the box can take another: this one is over, nothing of it is left
  /// The box was gone before all of the job was taken. The runner obeys whole frames only, so
  /// nothing of the program has run then.
  bool died_unused = false;
  bool was_handed_over = false;  ///< the program to the box
  bool keeps_context = false;    ///< the program's, where it has one
  bool ended_contexts = false;   ///< all of them
};

/// Puts the files in, compiles, runs, ends in time, looks at what is left, and says why it ended.
[[nodiscard]] OneRun run_one(backend::Box& box, runner::Client& client,
                             const ExecutionRequest& request, const policy::Spec& spec);

}  // namespace lazaret::core
