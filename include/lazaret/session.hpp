#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
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
  std::vector<std::string> hosts;  ///< see ExecutionRequest::hosts
  std::vector<Mount> mounts;
  /// See ExecutionRequest::packages; for its runs in `language`, in contexts as well.
  std::vector<std::string> packages;
  std::optional<std::string> image;
  std::optional<std::set<Control>> required_controls;
  std::chrono::seconds lifetime{3600};  ///< from its making; a run that goes on is let end
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

/// Something below a session's /work that has changed.
struct FileChange {
  enum class Kind {
    begun,    ///< the first: what happens from here on is told
    created,
    written,  ///< whoever had it open to write to it has closed it
    removed,
    moved,
    missed,   ///< there was more than could be told, or what is in this directory never will be
  };
  Kind kind = Kind::begun;
  bool is_directory = false;
  std::string path;    ///< relative to /work; empty where it is not known
  std::string target;  ///< of what was moved
};

[[nodiscard]] std::string_view name_of(FileChange::Kind kind) noexcept;

/// An interpreter of a session; see ExecutionRequest::context.
struct ContextState {
  std::string name;
  std::string language;
  std::uint32_t cells = 0;  ///< runs in it so far
  bool lost = false;        ///< with the next run in it that is told, and nothing is run
};

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
  /// The same, but files that are there grow by the content, which so may be of any length.
  [[nodiscard]] Status append(const std::vector<Input>& inputs) const;
  /// A file below /work, or what lies below a directory, "." for all of it: written into `into`, an
  /// empty directory of this machine's or a new one, or with its content, up to 8 MiB in all, if
  /// none is given. Errors: as above.
  [[nodiscard]] Result<std::vector<Artifact>> get(const std::string& path,
                                                  const std::optional<std::string>& into) const;
  /// A piece of a file below /work, 1 byte to 8 MiB: less than `length` only at its end. Errors: as
  /// above; invalid_argument for what is no file, conflict for what cannot be read.
  [[nodiscard]] Result<std::string> read(const std::string& path, std::uint64_t offset,
                                         std::size_t length) const;
  /// As get() without content, 10,000 of them at most; how large they are is told.
  [[nodiscard]] Result<std::vector<Artifact>> list(const std::string& path) const;
  /// What has this name below /work, a link itself and not what it leads to, without its content
  /// and what is in it. Errors: as above.
  [[nodiscard]] Result<Artifact> stat(const std::string& path) const;
  /// Makes a directory below /work, and those on the way; one that is there is well.
  [[nodiscard]] Status make_directory(const std::string& path) const;
  /// Removes a file, a link or a directory with all that is in it.
  [[nodiscard]] Status remove(const std::string& path) const;
  /// Gives it another path below /work, where nothing may be; directories on the way are made.
  [[nodiscard]] Status move(const std::string& path, const std::string& target) const;
  /// Tells what changes below a directory of /work, "." for all of it, or of one file, whoever does
  /// it, while others use the session; what lies in a directory that has just come may be told
  /// twice, and of more than 1024 directories some are missed. Returns at the stop: no error. Not
  /// a use that keeps the session from its end, which is the other way to end: conflict. Errors:
  /// invalid_argument, unsupported (the box cannot), and those of the wire.
  [[nodiscard]] Status watch(const std::string& path,
                             const std::function<void(const FileChange&)>& on_change,
                             const std::stop_token& stop) const;
  /// Its contexts, by name. Waits for the run that goes on.
  [[nodiscard]] Result<std::vector<ContextState>> contexts() const;
  /// Ends one, and what it has left running: the next run in it begins a new one. Errors:
  /// not_found, conflict (the session is not ready), and those of the wire.
  [[nodiscard]] Status end_context(const std::string& name) const;
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
