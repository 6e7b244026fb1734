#include "core/cause.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace lazaret::core {
namespace {

constexpr std::array kSignals = {
    "",          "SIGHUP",  "SIGINT",    "SIGQUIT", "SIGILL",   "SIGTRAP", "SIGABRT", "SIGBUS",
    "SIGFPE",    "SIGKILL", "SIGUSR1",   "SIGSEGV", "SIGUSR2",  "SIGPIPE", "SIGALRM", "SIGTERM",
    "SIGSTKFLT", "SIGCHLD", "SIGCONT",   "SIGSTOP", "SIGTSTP",  "SIGTTIN", "SIGTTOU", "SIGURG",
    "SIGXCPU",   "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO",   "SIGPWR",  "SIGSYS",
};

constexpr std::uint32_t kSigAbort = 6, kSigBus = 7, kSigKill = 9, kSigXcpu = 24, kSigXfsz = 25;

bool has_filled_disk(runner::Exited::Full full) {
  return full == runner::Exited::Full::bytes || full == runner::Exited::Full::files;
}

// What a program may have failed by that has failed by itself.
std::optional<Cause> cause_of_want(const Death& death, runner::Exited::Full full) {
  if (has_filled_disk(full)) return Cause::disk_limit;
  if (full == runner::Exited::Full::file && death.file_size_limited) return Cause::file_size_limit;
  return std::nullopt;
}

bool has_used(const Death& death, std::chrono::milliseconds least) {
  const auto used = death.autopsy.usage.cpu_ms;
  return death.cpu_limit && used && std::chrono::milliseconds(*used) >= least;
}

// WHY half: for its limit the kernel counts whole ticks (getrlimit(2), RLIMIT_CPU), we measure what
// was really used, and a busy machine makes 850 ms of a second. A program that sends itself the
// signal early is told apart all the same.
bool exhausted(const Death& death) {
  return death.cpu_limit && has_used(death, std::chrono::milliseconds(*death.cpu_limit) / 2);
}

bool used_up(const Death& death) { return death.cpu_limit && has_used(death, *death.cpu_limit); }

Cause cause_of_signal(const Death& death, std::uint32_t number,
                      runner::Exited::Full full) {
  if (number == kSigXcpu && exhausted(death)) return Cause::cpu_limit;
  if (number == kSigKill && used_up(death)) return Cause::cpu_limit;
  // The kernel counts nothing here, and truncate(2) leaves no trace: that there is a limit is all
  // that can be known.
  if (number == kSigXfsz && death.file_size_limited) return Cause::file_size_limit;
  // A page of a file for which there is no room (mmap(2)).
  if (number == kSigBus && has_filled_disk(full)) return Cause::disk_limit;
  // By which programs end themselves, as C++ does for an exception that nobody catches.
  return number == kSigAbort ? cause_of_want(death, full).value_or(Cause::signalled)
                             : Cause::signalled;
}

Cause cause_of_exit(const Death& death, const runner::Exited& exited) {
  const bool clean = exited.how == runner::Exited::How::exit && exited.code == 0;
  if (clean) return Cause::exited;
  if (death.autopsy.usage.pids_refusals > 0) return Cause::pids_limit;
  if (death.compiling) return Cause::compile_failed;
  if (exited.how == runner::Exited::How::signal)
    return cause_of_signal(death, exited.code, exited.full);
  return cause_of_want(death, exited.full).value_or(Cause::nonzero_exit);
}

}  // namespace

Cause cause_of(const Death& death) {
  if (death.decision == OwnDecision::timeout) return Cause::timeout;
  if (death.decision == OwnDecision::cpu_time) return Cause::cpu_limit;
  if (death.decision == OwnDecision::output) return Cause::output_limit;
  if (death.decision == OwnDecision::cancelled) return Cause::cancelled;
  const auto* const exited = death.ending ? std::get_if<runner::Exited>(&*death.ending) : nullptr;
  const bool clean =
      exited != nullptr && exited->how == runner::Exited::How::exit && exited->code == 0;
  // A child that was killed for memory is the program's own affair if the program ends well.
  if (death.autopsy.usage.memory_kills > 0 && !clean) return Cause::memory_limit;
  if (!death.ending) return Cause::infrastructure_lost;
  if (exited == nullptr) return Cause::start_failed;
  return cause_of_exit(death, *exited);
}

Cause cause_of_error(Errc code) {
  switch (code) {
    case Errc::invalid_argument:
    case Errc::permission_denied:
    case Errc::too_large: return Cause::policy_denied;
    case Errc::cancelled: return Cause::cancelled;
    case Errc::image_missing: return Cause::image_missing;
    case Errc::enforcement_mismatch: return Cause::enforcement_mismatch;
    case Errc::start_failed: return Cause::start_failed;
    case Errc::connection_lost:
    case Errc::protocol:
    case Errc::timed_out:
    case Errc::engine:
    case Errc::conflict: return Cause::infrastructure_lost;
    case Errc::not_found:
    case Errc::unsupported:
    case Errc::connection_refused:
    case Errc::backend_unavailable:
    case Errc::system: return Cause::backend_unavailable;
  }
  return Cause::backend_unavailable;
}

Error as_unavailable(Error error) {
  return error.code() == Errc::cancelled ? error : std::move(error).as(Errc::backend_unavailable);
}

Error as_ours(Error error) {
  const bool denied = cause_of_error(error.code()) == Cause::policy_denied;
  return denied ? std::move(error).as(Errc::backend_unavailable) : error;
}

std::string signal_name(int number) {
  const bool named = number > 0 && static_cast<std::size_t>(number) < kSignals.size();
  return named ? kSignals[static_cast<std::size_t>(number)] : "signal " + std::to_string(number);
}

int signal_number(std::string_view name) {
  const std::string whole = (name.starts_with("SIG") ? "" : "SIG") + std::string(name);
  const auto found = std::find(kSignals.begin() + 1, kSignals.end(), whole);
  return found == kSignals.end() ? 0 : static_cast<int>(found - kSignals.begin());
}

}  // namespace lazaret::core
