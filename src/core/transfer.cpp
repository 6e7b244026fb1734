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
constexpr std::size_t kMostListed = ArtifactTaker::kMostArtifacts;

// A result lists no more of them, however many were taken.
void cut_list(std::vector<Artifact>& all, std::vector<std::string>& warnings) {
  std::size_t listed = 0;
  for (std::size_t named = 0; listed < std::min<std::size_t>(all.size(), kMostListed); ++listed) {
    if ((named += all[listed].path.size()) > ArtifactTaker::kMostNames) break;
  }
  if (listed == all.size()) return;
  warnings.push_back(std::to_string(all.size() - listed) + " artifacts were taken and not listed");
  all.resize(listed);
}

}  // namespace

bool wants_artifacts(const ExecutionRequest& request) {
  return request.output_directory || request.return_artifacts;
}

Status check_places(const ExecutionRequest& request) {
  LAZARET_CHECK(look_for(request.inputs).within("inputs"));
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
  ArtifactTaker taker({request.output_directory, request.return_artifacts, spec.limits.disk_bytes});
  const Status taken = taker.take_from(client, std::string(runner::kArtifacts),
                                       transfer_call(spec.limits, request.stop));
  if (!taken.ok())
    warnings.push_back("not all was taken from /work/out: " + taken.error().message());
  warnings.insert(warnings.end(), taker.warnings().begin(), taker.warnings().end());
  std::vector<Artifact> artifacts = std::move(taker).artifacts();
  cut_list(artifacts, warnings);
  return artifacts;
}

}  // namespace lazaret::core
