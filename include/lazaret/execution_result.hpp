#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lazaret/control.hpp"
#include "lazaret/limits.hpp"

namespace lazaret {

/// Why the run ended: one vocabulary, the same meaning on every backend.
enum class Cause {
  exited,        ///< exit status 0
  nonzero_exit,  ///< any other exit status
  signalled,     ///< ended by a signal that was not ours
  timeout,       ///< our wall-clock deadline
  cpu_limit,     ///< the limit on processor time
  memory_limit,  ///< the kernel killed it for memory, by its counters
  pids_limit,    ///< ended after the limit on tasks had refused it one
  output_limit,  ///< more output than the policy lets a program make
  file_size_limit,  ///< it wrote a file of the size that files may have, and failed
  disk_limit,       ///< it filled a file system of the box's, and failed
  policy_denied,
  approval_denied,
  cancelled,       ///< the caller's stop token
  compile_failed,  ///< the compiler refused the code, or failed; the program has not run
  start_failed,    ///< the program does not exist or cannot be executed in the box
  image_missing,
  enforcement_mismatch,  ///< a required control was not in force; the code has not run
  backend_unavailable,
  infrastructure_lost,  ///< the engine, the box or the runner went away in the middle
};

[[nodiscard]] std::string_view name_of(Cause cause) noexcept;

enum class ErrorType {
  SyntaxError,
  RuntimeError,
  TimeoutError,
  MemoryError,
  PermissionDenied,
  OutputLimitError,
  SerializationError,
  PolicyDenied,
  BackendError,
};

[[nodiscard]] std::string_view name_of(ErrorType type) noexcept;

struct ResultError {
  ErrorType type;
  std::string message;
  std::optional<std::string> stack;        ///< in the user's own file names
  std::optional<std::string> hint;         ///< what to do next
  std::optional<std::string> name = {};    ///< the language's own, e.g. "ZeroDivisionError"
  std::optional<std::uint32_t> line = {};  ///< of the program's main file, from 1; the innermost
};

/// What the run used, and which source said so: "cgroup", "engine stats", "rusage" (from outside),
/// "runner" (from beside the program) or "none".
struct Usage {
  std::optional<std::uint64_t> cpu_ms;
  std::optional<std::uint64_t> peak_memory_bytes;
  std::optional<std::uint64_t> peak_pids;
  std::uint64_t memory_kills = 0;   ///< processes that the kernel ended for want of memory
  std::uint64_t pids_refusals = 0;  ///< of a task, at the limit on tasks
  /// What a file system of the box had no more of when a program failed, "bytes" or "files"; or
  /// "file": one that it had written to was as large as one may be.
  std::optional<std::string> disk_full = {};
  std::string source = "none";
};

/// What the program wrote, before any cut.
struct OutputCounts {
  std::uint64_t stdout_bytes = 0;
  std::uint64_t stderr_bytes = 0;
  bool stdout_truncated = false;
  bool stderr_truncated = false;
};

/// How a run that did not end by itself was ended.
struct Kill {
  std::string path;  ///< "term", "kill", and "int" where a context was interrupted
  std::chrono::milliseconds latency{0};  ///< from the decision to the confirmed end
  std::uint32_t survivors = 0;           ///< processes of the box seen alive after the kill
};

enum class Isolation { full, partial, none };

[[nodiscard]] std::string_view name_of(Isolation isolation) noexcept;

struct Fallback {
  std::string wanted;
  std::string reason;  ///< every endpoint tried and why each failed
};

/// The interpreter that keeps what a run leaves in it.
struct ContextNote {
  std::string name;
  std::uint32_t cell = 0;  ///< which of its runs this was, from 1
  bool lost = false;       ///< it is gone with all that was in it: the next run begins a new one
};

/// A file that a package was installed from.
struct Package {
  std::string file;     ///< its name
  std::string name;     ///< what that says
  std::string version;  ///< likewise
  std::string sha256;   ///< of its content, as it was installed; 64 hexadecimal digits
};

/// What a program with hosts that it may reach has asked its way out for.
struct Connection {
  enum class Outcome {
    made,
    denied,  ///< it led elsewhere: to another host, or to an address that is not public; also later
    failed,  ///< it could not be made, or was not before the end
  };
  std::string host;  ///< in lower case
  std::uint16_t port = 0;
  Outcome outcome = Outcome::made;
  std::string reason;                ///< of one that was denied or has failed
  std::uint64_t sent_bytes = 0;      ///< to the host, at most
  std::uint64_t received_bytes = 0;  ///< from it
};

[[nodiscard]] std::string_view name_of(Connection::Outcome outcome) noexcept;

struct Meta {
  std::string run_id;
  std::string backend;  ///< "native", "docker", "podman"; "none" when no box was made
  std::string runtime;  ///< engine and version, or the kernel's
  std::string version;  ///< Lazaret's own
  std::optional<std::string> image;
  bool made_ahead = false;  ///< the box was there, verified and unused, before it was asked for
  std::string language;
  /// Of a deterministic request: "time_zone", "locale", "hash_seed", "random_seed".
  std::vector<std::string> fixed;
  std::vector<Package> packages;        ///< that the program could import
  std::vector<Connection> connections;  ///< in the order in which it asked for them, 256 at most
  Limits limits;
  Cause cause = Cause::exited;
  std::optional<int> signal;
  std::optional<int> start_errno;  ///< why the program could not be started in the box
  Usage usage;
  OutputCounts output;
  std::optional<Kill> kill;
  Isolation isolation = Isolation::none;
  std::vector<Evidence> evidence;
  std::optional<ContextNote> context;
  std::optional<Fallback> fallback;
  std::vector<std::string> warnings;
};

/// What came of the compiler, which runs in the program's box before it.
struct Compilation {
  std::chrono::duration<double> duration{0};
  int exit_code = -1;         ///< the compiler's own; -1 when it did not end by itself
  std::optional<int> signal;  ///< that ended it
  bool timed_out = false;     ///< our deadline for it
  std::string diagnostics;    ///< what it wrote, valid UTF-8, 64 KiB at most, head and tail
  bool truncated = false;     ///< it wrote more
};

/// Something that the program has left below /work/out. As it says itself, and no more to be
/// trusted than its output.
struct Artifact {
  enum class Kind { file, directory, link, other };
  std::string path;  ///< relative to /work/out
  Kind kind = Kind::file;
  std::uint64_t size = 0;              ///< of a file, bytes
  std::string media_type;              ///< of a file, by its name; "application/octet-stream"
  std::optional<std::string> content;  ///< of a file, where it was asked for and fits
  bool executable = false;             ///< of a file, by its owner
};

[[nodiscard]] std::string_view name_of(Artifact::Kind kind) noexcept;

/// One thing that a program has shown, in each form that it has, as notebooks show it. As it says
/// itself, and no more to be trusted than its output.
struct RichResult {
  enum class Source {
    display,  ///< it was shown
    value,    ///< it is what the last expression gave
  };
  Source source = Source::display;
  /// By media type, of which only known ones come: the bytes of an image, a text, or JSON text.
  std::map<std::string, std::string> data;
};

[[nodiscard]] std::string_view name_of(RichResult::Source source) noexcept;

/// What became of the code. Set once; never changed afterwards.
struct ExecutionResult {
  std::string stdout_text;  ///< valid UTF-8: head, a marker line and tail when it was cut
  std::string stderr_text;
  int exit_code = -1;  ///< the program's own when known, else -1; never inferred
  std::chrono::duration<double> duration{0};
  bool timed_out = false;
  bool truncated = false;            ///< output is missing: beyond the cap, or the stream was lost
  std::optional<std::string> value;  ///< JSON text
  std::vector<RichResult> rich;      ///< in their order, 100 at most; however the program ended
  std::optional<ResultError> error;
  std::optional<Compilation> compile;  ///< of compiled languages, once their compiler was started
  std::vector<Artifact> artifacts;  ///< by path, 10,000 at most; of programs that ended themselves
  Meta meta;

  [[nodiscard]] bool success() const noexcept { return meta.cause == Cause::exited && !error; }
};

/// The result as one JSON object, in the schema of docs/result.md. `indent` < 0 gives one line.
[[nodiscard]] std::string to_json(const ExecutionResult& result, int indent = -1);
/// The same of a result that nobody needs any more, in less memory.
[[nodiscard]] std::string to_json(ExecutionResult&& result, int indent = -1);

}  // namespace lazaret
