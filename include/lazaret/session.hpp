#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lazaret/execution_result.hpp"
#include "lazaret/request.hpp"
#include "lazaret/result.hpp"

namespace lazaret {

/// What a box is that is kept. All of it holds for the session's whole life.
struct SessionRequest {
  /// Decides what image a container is of, and what room a runtime needs. Its runs may be in any
  /// language that the box has.
  std::string language = "python";
  /// Of the box: memory, cpus, pids, open files, file size, disk. The others are the runs' own.
  LimitOverrides limits;
  std::optional<Subprocess> subprocess;
  std::optional<Profile> profile;
  std::optional<Loopback> loopback;
  std::vector<Mount> mounts;
  std::optional<std::string> image;
  std::optional<std::set<Control>> required_controls;
  std::chrono::seconds lifetime{3600};  ///< from its making, whatever it does
  std::chrono::seconds idle{600};       ///< without a run or a file on its way
  std::stop_token stop;                 ///< gives up the making
};

/// Where a session stands.
enum class SessionState {
  ready,
  expired,  ///< its lifetime or idle time was over
  lost,     ///< a program could not be ended without its box, the box went away, or files of it
            ///< could not be taken to their end (too many bytes, the caller's stop)
  closed,
};

[[nodiscard]] std::string_view name_of(SessionState state) noexcept;

/// A verified box that runs one program after another. They share its files, /work/out among them,
/// and what else outlives processes (System V IPC, POSIX message queues); whatever of a program is
/// alive when its first process ends is killed. Each box is one session's. Thread-safe; one thing
/// at a time happens in it, the others wait, and none may be asked for from a callback of another.
/// Move-only; a fork of its process has no part in it.
class Session {
 public:
  class Body;
  explicit Session(std::unique_ptr<Body> body);
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();  ///< closes it

  /// As CodeSandbox::execute(). Of the limits only those of a run may be asked for, and nothing
  /// else that the session has decided. In a session that is not ready: backend_unavailable.
  [[nodiscard]] ExecutionResult execute(const ExecutionRequest& request) const;
  /// Puts files below /work; what is there gives way, but for directories. Errors:
  /// invalid_argument, not_found, too_large (no room), conflict (the session is not ready, or
  /// something is in the way), system, and those of the wire.
  [[nodiscard]] Status put(const std::vector<Input>& inputs) const;
  /// What lies below a directory of /work, "." for all of it; written into `into`, an empty
  /// directory of this machine's or a new one, if it is given. Errors: as above.
  [[nodiscard]] Result<std::vector<Artifact>> get(const std::string& path,
                                                  const std::optional<std::string>& into) const;
  [[nodiscard]] SessionState state() const;
  /// What holds it, as it was seen before its first program.
  [[nodiscard]] const std::vector<Evidence>& evidence() const;
  /// Ends it and what happens in it, and removes its box, or has it removed by who still uses it;
  /// idempotent.
  void close() const;

 private:
  std::unique_ptr<Body> body_;
};

}  // namespace lazaret
