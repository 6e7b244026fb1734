#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lazaret/confinement.hpp"
#include "lazaret/result.hpp"
#include "lazaret/terminal.hpp"
#include "os/handle.hpp"

/// What the first process of a box needs from its operating system.
namespace lazaret::os {

/// The ends of the wire, moved away from 0 and 1, and a handle that is readable when a child has
/// changed state.
struct InitHandles {
  Handle wire_in;
  Handle wire_out;
  Handle children;
};

/// Makes the calling process a box's init: the wire moved out of the way, SIGPIPE and SIGXFSZ
/// ignored, SIGCHLD as a handle.
[[nodiscard]] Result<InitHandles> become_init();

/// Makes the calling process fit to stand beside foreign code: not dumpable, so that code of the
/// same user can neither trace it nor open its descriptors (proc(5), PR_SET_DUMPABLE). Nor can an
/// ordinary user look at it from outside any more: what is to be verified is verified before.
[[nodiscard]] Status shut_off();

/// This process's number as the box sees it; 1 where it is the box's init.
[[nodiscard]] std::uint32_t process_id();

inline constexpr std::uint64_t kEverySignal = ~std::uint64_t{0};

struct SpawnRequest {
  std::vector<std::string> argv;         ///< the first element is looked up in PATH
  std::vector<std::string> environment;  ///< NAME=value; PATH is taken from here
  std::string working_directory;
  std::vector<RawHandle> handles;  ///< become 0, 1, …; 7 at most; others are closed
  std::uint32_t cpu_seconds = 0;   ///< RLIMIT_CPU, 0 for none
  /// Signals that the caller may be ignoring, bit 0 for number 1: these are reset one by one.
  std::uint64_t ignored_signals = kEverySignal;
  /// Denied by a filter of its own, behind any other, which the program cannot take off.
  Subprocess subprocess = Subprocess::allow;
  bool has_terminal = false;  ///< the first handle is one, and becomes its session's
};

/// A new terminal (pty(7)): our side twice, to write and to read, neither of which blocks, and the
/// program's. While nobody has that one open, ours can be read to the end, which is an error (EIO).
struct Terminal {
  Handle input;
  Handle output;
  Handle theirs;
};
/// Errors: start_failed, "terminal", with the errno.
[[nodiscard]] Result<Terminal> make_terminal(const TerminalSize& size);
/// Programs in its foreground are told by SIGWINCH. Either side may be given.
[[nodiscard]] Status resize_terminal(RawHandle terminal, const TerminalSize& size);

/// Starts a program in a session of its own with default signal dispositions, an empty signal mask
/// and umask 022 (P-54). The calling thread waits until the program is executed and must have no
/// signal handlers. Errors: start_failed, with the failing step as message and its errno.
[[nodiscard]] Result<std::int64_t> spawn(const SpawnRequest& request);

/// How one child ended.
struct Ended {
  std::int64_t pid = 0;
  bool by_signal = false;
  std::uint32_t code = 0;  ///< exit status or signal number
};

/// Collects one ended child, or nothing when none has ended. Call until it gives nothing.
[[nodiscard]] std::optional<Ended> reap(RawHandle children);

/// Sends a signal to every other process of the box when this is its init (kill(-1)), otherwise to
/// the process group that `leader` leads. Errors: not_found when there is none left.
[[nodiscard]] Status signal_all(std::int64_t leader, std::uint32_t signal);
/// Sends a signal to a process group alone. Errors: as above.
[[nodiscard]] Status signal_group(std::int64_t leader, std::uint32_t signal);
/// Sends a signal to one child. Errors: as above.
[[nodiscard]] Status signal_one(std::int64_t child, std::uint32_t signal);
/// Our own children, ended ones that nobody has collected among them; nothing where they cannot be
/// seen (proc_pid_task(5), children), or where we are not the box's init: then what loses its
/// parent is not given to us.
[[nodiscard]] std::optional<std::vector<std::int64_t>> children();

/// Processor time that a living child has used, in microseconds; 0 where it cannot be read
/// (clock_getcpuclockid(3)).
[[nodiscard]] std::uint64_t cpu_us_of(std::int64_t child);

/// Memory that a living child has resident, and the most that it had; 0 where it cannot be read
/// (proc(5), status).
[[nodiscard]] std::uint32_t resident_kib_of(std::int64_t child);
[[nodiscard]] std::uint32_t peak_kib_of(std::int64_t child);

/// A child by files of /proc that are opened once, while nobody waits: to open one takes longer
/// than to read it.
class Sight {
 public:
  Sight() = default;
  explicit Sight(std::int64_t child);

  /// What differs for each program that it executes, as long as it executes none; empty where that
  /// cannot be read. Its peak is that of the last one alone (proc_pid_stat(5), startcode to
  /// env_end). Who wants to can have it say what it said before (prctl(2), PR_SET_MM).
  [[nodiscard]] std::string program_mark() const;
  /// Whether it is all that there was: it still executes the program that has this mark, has no
  /// children, has waited for none (for what they took is not told of one that is alive), and we
  /// have no other; false where that cannot be seen (proc_pid_task(5), children).
  [[nodiscard]] bool is_all(std::string_view mark) const;
  /// As peak_kib_of.
  [[nodiscard]] std::uint32_t peak_kib() const;

 private:
  std::string number_;
  Handle stat_, status_, its_children_, our_children_;
};

/// Of all reaped children together: processor time, and the largest resident set of one.
struct TreeUsage {
  std::uint64_t cpu_us = 0;
  std::uint64_t peak_rss_kib = 0;
};
[[nodiscard]] TreeUsage tree_usage();

/// Of the box's own file systems, /work, /tmp and /dev/shm, where they can be written to.
struct ScratchState {
  /// Which have no byte left, a bit for each, and which no file, the bits of kOfFiles (statfs(2)).
  std::uint32_t shortage = 0;
  std::int64_t time_ns = 0;  ///< now, since 1970
};
inline constexpr std::uint32_t kOfFiles = 0b111000;
[[nodiscard]] ScratchState scratch_state();
/// When a file of theirs was last changed that is as large as one may be (RLIMIT_FSIZE), so that
/// writing more to it is refused, in nanoseconds since 1970; 0 where there is none among the first
/// ten thousand files, in 64 directories in each other. For programs that have failed: it looks at
/// each.
[[nodiscard]] std::int64_t largest_file_ns();


enum class Existing { refuse, replace };

/// Writes a file below the working tree; parents must exist. Never follows a link. What is replaced
/// must not be a directory.
[[nodiscard]] Status write_file(const std::string& path, const std::string& content,
                                Existing existing);

/// What this process can see of the controls that hold it, and what it has inherited.
struct SelfReport {
  std::string text;  ///< `key=value` lines; probes are made by really trying
  /// As in SpawnRequest; every signal where it could not be read.
  std::uint64_t ignored_signals = kEverySignal;
};

/// Whether who looks at the report knows from outside which process made it, and sees from there
/// what it has mounted and which interfaces it has, or must be told, with the names of namespaces.
enum class Known { from_outside, by_namespaces };

/// Meant to be called before any foreign code runs. What is to be denied is tried in a child.
[[nodiscard]] SelfReport self_report(Subprocess subprocess, Known known);

}  // namespace lazaret::os
