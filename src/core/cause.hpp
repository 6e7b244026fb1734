#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "backend/backend.hpp"
#include "lazaret/execution_result.hpp"
#include "runner/client.hpp"

namespace lazaret::core {

/// Why we ended the program ourselves, if we did.
enum class OwnDecision { none, timeout, cpu_time, output, cancelled };

/// Everything that is known about an end.
struct Death {
  OwnDecision decision = OwnDecision::none;
  backend::Autopsy autopsy;
  std::optional<runner::Ending> ending;  ///< unset when the runner did not live to tell
  std::optional<std::chrono::seconds> cpu_limit;
  bool file_size_limited = false;  ///< the box's evidence says that the limit is in force
  bool compiling = false;          ///< it was the compiler's end; the program has not run
};

/// Our own decision, then the kernel's counters, then the signal, then the exit status; an exit
/// status is never read for more than it says (P-15, P-17).
[[nodiscard]] Cause cause_of(const Death& death);

/// Whether a file system of the box's, or a file in one, could take no more.
[[nodiscard]] constexpr bool is_by_disk(Cause cause) {
  return cause == Cause::disk_limit || cause == Cause::file_size_limit;
}

/// "SIGSEGV"; "signal 63" where there is no name. Numbers are Linux's, whatever we run on.
[[nodiscard]] std::string signal_name(int number);
/// The number of "SIGTERM" or "TERM"; 0 for what names none.
[[nodiscard]] int signal_number(std::string_view name);

/// What an error means that no program has ended by: the box could not be had, or was lost.
[[nodiscard]] Cause cause_of_error(Errc code);
/// An error of who cannot be had now, unless its caller has cancelled: backend_unavailable.
[[nodiscard]] Error as_unavailable(Error error);
/// A refusal by a backend or a box, which is ours and never the policy's.
[[nodiscard]] Error as_ours(Error error);

}  // namespace lazaret::core
