#pragma once

#include <string>
#include <vector>

#include "lazaret/execution_result.hpp"
#include "lazaret/request.hpp"
#include "policy/spec.hpp"
#include "runner/client.hpp"

/// What a request wants carried into its box before the program, and out of it afterwards.
namespace lazaret::core {

[[nodiscard]] bool wants_artifacts(const ExecutionRequest& request);
/// Whether they go somewhere, which is told that there are none too.
[[nodiscard]] bool is_carried_out(const ExecutionRequest& request);

/// Whether what it names on this machine is there, and can take what comes back. Errors: those of
/// look_for() and check_output_directory(), naming the member.
[[nodiscard]] Status check_places(const ExecutionRequest& request);

/// Puts all of it, and makes /work/out where artifacts are wanted. Errors: those of put_inputs().
[[nodiscard]] Result<runner::Placed> put_files_of(const ExecutionRequest& request,
                                                  const policy::Spec& spec, runner::Client& client);

/// Takes what was left; what the caller should know of what was not goes to the warnings.
[[nodiscard]] std::vector<Artifact> take_artifacts_of(const ExecutionRequest& request,
                                                      const policy::Spec& spec,
                                                      runner::Client& client,
                                                      std::vector<std::string>& warnings);

/// How long files may take on their way: 60 s, or as long as a run where that is longer.
[[nodiscard]] Call transfer_call(const Limits& limits, const std::stop_token& stop);

/// How long those who send an archive, or take one, may take: ten minutes.
struct Calls {
  Call archive;
  Call box;  ///< longer: what was begun is brought to its end
};
[[nodiscard]] Calls archive_calls(const std::stop_token& stop);

}  // namespace lazaret::core
