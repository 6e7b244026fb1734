#include "core/run_error.hpp"

#include <string>
#include <utility>

#include "base/linux_error.hpp"
#include "base/utf8.hpp"
#include "core/diagnostics.hpp"

namespace lazaret::core {
namespace {

ResultError error(ErrorType type, std::string message, std::optional<std::string> hint = {}) {
  return ResultError{type, std::move(message), {}, std::move(hint)};
}

ResultError timeout_error(const Death& death, const Limits& limits) {
  const auto limit = death.compiling ? limits.compile_timeout : limits.timeout;
  return error(ErrorType::TimeoutError,
               (death.compiling ? "the compiler was ended after " : "ended after ") +
                   std::to_string(limit.count()) + " ms",
               death.compiling ? "raise --compile-timeout" : "raise --timeout");
}

ResultError memory_error(const Death& death, const Limits& limits) {
  return error(ErrorType::MemoryError,
               (death.compiling ? "the compiler used more than " : "used more than ") +
                   std::to_string(limits.memory_bytes) + " bytes of memory",
               "raise --memory");
}

ResultError output_error(const Limits& limits) {
  return error(ErrorType::OutputLimitError,
               "wrote more than " + std::to_string(limits.output_bytes.value_or(0)) +
                   " bytes of output",
               "raise --output-limit");
}

ResultError disk_error(const Death& death, const Limits& limits) {
  using Full = runner::Exited::Full;
  const auto full = std::get<runner::Exited>(*death.ending).full;
  if (full == Full::bytes)
    return error(ErrorType::RuntimeError,
                 "filled a file system of the box: each holds " +
                     std::to_string(limits.disk_bytes) + " bytes",
                 "raise --disk");
  return error(ErrorType::RuntimeError,
               "made as many files as a file system of the box takes: " +
                   std::to_string(limits.disk_files),
               "raise --disk-files");
}

ResultError file_size_error(const Limits& limits) {
  return error(ErrorType::RuntimeError,
               "failed, and left a file of the size that one may have: " +
                   std::to_string(limits.file_bytes) + " bytes",
               "raise --file-size");
}

constexpr const char* kLookedUp = "programs are looked up in the box's PATH; see `lazaret doctor`";

// Linux's numbers, whatever we run on.
const char* hint_of(const runner::Failed& failed) {
  constexpr int kTryAgain = 11, kDenied = 13, kAbsent = 2;
  if (failed.step == "chdir" && failed.os_error == kAbsent)
    return "put a file into the working directory first, or choose another one";
  if (failed.step == "exec" && failed.os_error == kDenied) return "it must be an executable file";
  if (failed.step == "fork" && failed.os_error == kTryAgain) return "raise --pids";
  return kHasNotRun;
}

}  // namespace

ResultError start_error(const std::vector<std::string>& argv, const policy::Program& program,
                        const runner::Failed& failed) {
  constexpr int kNotFound = 2;
  if (failed.step == runner::kFindContext)
    return error(ErrorType::BackendError, "the context's interpreter has ended meanwhile",
                 "it is lost; the next run begins a new one");
  const bool absent = failed.step == "exec" && failed.os_error == kNotFound;
  if (!absent)
    return error(ErrorType::BackendError,
                 "the program could not be started: " + failed.step + ": " +
                     text_of_linux_error(failed.os_error),
                 hint_of(failed));
  return error(
      ErrorType::BackendError, "no such program in the box: " + argv.front(),
      program.needs.empty()
          ? kLookedUp
          : "install " + program.needs + ", or choose an image that has it; see `lazaret doctor`");
}

Error place_error(const runner::Placed& placed, const Limits& limits) {
  // Linux's numbers, whatever we run on.
  constexpr int kNoSpace = 28, kExists = 17, kTooBig = 27, kNoDirectory = 20;
  const std::string path = "/work/" + printable(placed.path, '?');
  const auto because = [&placed](Errc code, std::string message, const char* hint) {
    return Error(code, std::move(message)).with_hint(hint).with_os_error(placed.os_error);
  };
  switch (placed.os_error) {
    case kNoSpace:
      return because(Errc::too_large,
                     "no room for " + path + ": /work holds " + std::to_string(limits.disk_bytes) +
                         " bytes, in a bounded number of files",
                     "raise --disk, or --disk-files");
    case kTooBig:
      return because(
          Errc::too_large,
          path + " is larger than a file may be: " + std::to_string(limits.file_bytes) + " bytes",
          "raise --file-size");
    case kNoDirectory:
      return because(Errc::conflict, path + " would lie below a file", "give it another place");
    case kExists:
      return because(Errc::conflict, path + " was put twice", "give each a name of its own");
    default:
      return because(Errc::conflict,
                     "putting " + path + " failed: " + text_of_linux_error(placed.os_error), "");
  }
}

ResultError input_error(const Error& cause) {
  return error(ErrorType::BackendError, cause.message(),
               cause.hint().empty() ? kHasNotRun : cause.hint());
}

// L-54: libraries start processes, or copies of their own, that nobody sees in the program.
ResultError with_hint(ResultError said, const policy::Spec& spec) {
  const auto says = [&said](const char* word) {
    return said.message.find(word) != said.message.npos;
  };
  const bool refused = says("Operation not permitted") || says("EPERM");  // as the filter answers
  if (says("File too large") && !said.hint) said.hint = "raise --file-size";
  if (spec.subprocess == Subprocess::deny && refused && !said.hint)
    said.hint = "if it, or a library that it uses, has started a process: --subprocess allows that";
  return said;
}

std::optional<ResultError> error_of_cause(const ExecutionResult& result, const Death& death,
                                          const policy::Spec& spec) {
  switch (result.meta.cause) {
    case Cause::timeout: return timeout_error(death, spec.limits);
    case Cause::cpu_limit:
      return error(ErrorType::TimeoutError, "used up its processor time", "raise --cpu-time");
    case Cause::output_limit: return output_error(spec.limits);
    case Cause::memory_limit: return memory_error(death, spec.limits);
    case Cause::pids_limit:
      return error(ErrorType::RuntimeError,
                   "refused a task beyond " + std::to_string(spec.limits.pids), "raise --pids");
    case Cause::file_size_limit: return file_size_error(spec.limits);
    case Cause::disk_limit: return disk_error(death, spec.limits);
    case Cause::signalled:
      return error(ErrorType::RuntimeError,
                   "ended by " + signal_name(result.meta.signal.value_or(0)));
    case Cause::compile_failed: return compile_error(*result.compile);
    case Cause::exited:
    case Cause::nonzero_exit:
    case Cause::infrastructure_lost:
    case Cause::policy_denied:
    case Cause::approval_denied:
    case Cause::cancelled:
    case Cause::start_failed:
    case Cause::image_missing:
    case Cause::enforcement_mismatch:
    case Cause::backend_unavailable: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace lazaret::core
