#include "api/cli/show.hpp"

#include <algorithm>
#include <cstdio>

#include "api/cli/app.hpp"
#include "api/cli/evidence_table.hpp"
#include "api/cli/rich_files.hpp"
#include "core/artifacts.hpp"
#include "core/report_json.hpp"

namespace lazaret::cli {
namespace {

std::string artifacts_note(const ExecutionResult& result, const ExecutionRequest& request,
                           const RunFlags& flags) {
  const auto count = std::ranges::count(result.artifacts, Artifact::Kind::file, &Artifact::kind);
  const std::string files = count == 1 ? "1 file" : std::to_string(count) + " files";
  if (request.output_directory)
    return files + (result.artifacts.size() < core::ArtifactTaker::kMostArtifacts
                        ? ""
                        : " and what is not listed") +
           " taken into " + *request.output_directory;
  if (!flags.session.empty()) return files + " in /work/out";
  if (flags.awaited) return files + " left in /work/out, and gone with the box";
  return files + " left in /work/out; --out DIRECTORY takes them";
}

// Of the box, which a session tells of when it is made.
void show_notes_of_box(const ExecutionResult& result) {
  if (result.meta.fallback) note_fallback(result.meta.backend, result.meta.fallback->reason);
  note_degraded(degraded(result.meta.evidence));
}

void show_notes(const ExecutionResult& result, const ExecutionRequest& request,
                const RunFlags& flags) {
  if (flags.session.empty()) show_notes_of_box(result);
  for (const std::string& warning : result.meta.warnings) note("warning: " + warning);
  if (result.value) note("value: " + *result.value);
  if (!result.rich.empty()) note("shown: " + counts_of(result.rich));
  if (!result.artifacts.empty()) note(artifacts_note(result, request, flags));
  if (result.truncated && !request.terminal)
    note("output beyond its limit was left out; raise --max-output");
}

void show_end(const ExecutionResult& result) {
  const bool ours = result.meta.cause != Cause::exited && result.meta.cause != Cause::nonzero_exit;
  const bool said = result.error && (ours || result.error->type == ErrorType::SerializationError);
  if (said)
    note(std::string(name_of(result.meta.cause)) + ": " + result.error->message);
  else if (ours)
    note(std::string(name_of(result.meta.cause)));
  if (result.error && result.error->hint) note("hint: " + *result.error->hint);
}

// Whether what was shown is where it is to be.
bool takes_rich(const ExecutionResult& result, const RunFlags& flags) {
  if (!flags.rich_directory) return true;
  const Status written = write_rich(result, *flags.rich_directory);
  if (!written.ok()) note("what was shown could not be written: " + written.error().message());
  return written.ok();
}

}  // namespace

int status_of(const ExecutionResult& result) {
  switch (result.meta.cause) {
    case Cause::exited:
    case Cause::nonzero_exit: return result.exit_code;
    case Cause::timeout:
    case Cause::cpu_limit:
    case Cause::output_limit: return kTimeout;
    case Cause::memory_limit: return kMemory;
    case Cause::cancelled: return kInterrupted;
    case Cause::policy_denied:
    case Cause::approval_denied: return kDenied;
    case Cause::compile_failed: return kCompileFailed;
    case Cause::start_failed: return result.meta.start_errno == 2 ? kNotFound : kDenied;
    case Cause::signalled:
    case Cause::file_size_limit:
    case Cause::disk_limit:
    case Cause::pids_limit:
      return result.meta.signal ? 128 + *result.meta.signal : result.exit_code;
    case Cause::image_missing:
    case Cause::enforcement_mismatch:
    case Cause::backend_unavailable:
    case Cause::infrastructure_lost: return kOurFailure;
  }
  return kOurFailure;
}

bool print_result(const ExecutionResult& result, const Common& common) {
  return write_all(stdout, (common.summary ? core::summary_of(result) : to_json(result)) + "\n");
}

bool show(const ExecutionResult& result, const ExecutionRequest& request, LiveOutput& live,
          const Common& common, const RunFlags& flags) {
  const bool taken = takes_rich(result, flags);
  if (common.json) return print_result(result, common) && taken;
  if (result.compile) (void)write_all(stderr, result.compile->diagnostics);
  const bool written = live.finish(result);
  if (!common.quiet) show_notes(result, request, flags);
  show_end(result);
  if (flags.show_evidence) (void)write_all(stderr, evidence_table(result.meta.evidence));
  if (!written) note("the output could not be written");
  return written && taken;
}

}  // namespace lazaret::cli
