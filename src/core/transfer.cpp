#include "core/transfer.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/try.hpp"
#include "core/artifacts.hpp"
#include "core/inputs.hpp"

namespace lazaret::core {
namespace {

constexpr std::chrono::milliseconds kLeastBound{60'000};
constexpr std::chrono::milliseconds kArchiveBound{600'000};

// Who takes too long is given nothing more, and so is who has gone.
ArtifactSink within(const Call& call, const ArtifactSink& sink) {
  if (!sink) return {};
  return [call, &sink](const Artifact* begun, std::string_view bytes) {
    return call.check().ok() && sink(begun, bytes);
  };
}

// What nobody takes any more comes from the box all the same: it stays in step, and a session goes
// on.
Call emptying_call(const Limits& limits) {
  return {Deadline::after(std::max(kLeastBound, limits.timeout) + kLeastBound), {}};
}

}  // namespace

bool wants_artifacts(const ExecutionRequest& request) {
  return is_carried_out(request) || request.return_artifacts;
}

bool is_carried_out(const ExecutionRequest& request) {
  return request.output_directory || request.on_artifact;
}

Status check_places(const ExecutionRequest& request) {
  LAZARET_CHECK(look_for(request.inputs).within("inputs"));
  if (request.on_artifact && (request.output_directory || request.return_artifacts))
    return Error(Errc::invalid_argument,
                 "artifacts go into a directory, to a function or into the result");
  if (!request.output_directory) return {};
  return check_output_directory(*request.output_directory).within("artifacts");
}

Call transfer_call(const Limits& limits, const std::stop_token& stop) {
  return {Deadline::after(std::max(kLeastBound, limits.timeout)), stop};
}

Calls archive_calls(const std::stop_token& stop) {
  return {{Deadline::after(kArchiveBound), stop},
          {Deadline::after(kArchiveBound + kLeastBound), stop}};
}

Result<runner::Placed> put_files_of(const ExecutionRequest& request, const policy::Spec& spec,
                                    runner::Client& client) {
  const Call call = transfer_call(spec.limits, request.stop);
  const std::vector<policy::Program::File>& files = spec.program.files;
  if (wants_artifacts(request))
    LAZARET_CHECK(client.put({.kind = runner::Entry::Kind::directory,
                              .path = std::string(runner::kArtifacts),
                              .target = {}},
                             call));
  const std::string_view code = files.empty() ? "" : policy::path_in_work(files.front());
  using Existing = runner::Entry::Existing;
  const Existing existing = spec.keeps_box ? Existing::gives_way : Existing::stays;
  return put_inputs(client, {request.inputs, code, existing}, call);
}

std::vector<Artifact> take_artifacts_of(const ExecutionRequest& request, const policy::Spec& spec,
                                        runner::Client& client,
                                        std::vector<std::string>& warnings) {
  const Call call = transfer_call(spec.limits, request.stop);
  ArtifactTaker taker({.directory = request.output_directory,
                       .with_content = request.return_artifacts,
                       .most_bytes = spec.limits.disk_bytes,
                       .sink = within(call, request.on_artifact)});
  const Status taken = taker.take_from(client, std::string(runner::kArtifacts),
                                       request.on_artifact ? emptying_call(spec.limits) : call);
  return list_of(std::move(taker), taken, warnings);
}

}  // namespace lazaret::core
