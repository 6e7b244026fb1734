#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "base/guarded.hpp"
#include "base/turn.hpp"
#include "core/artifacts.hpp"
#include "core/contexts.hpp"
#include "core/packing.hpp"
#include "core/unpacking.hpp"
#include "core/watchers.hpp"
#include "egress/proxy.hpp"
#include "lazaret/session.hpp"
#include "policy/spec.hpp"
#include "runner/client.hpp"

namespace lazaret::core {

/// The box of a session and what may happen in it. Thread-safe: one thing at a time, in no
/// particular order. Nobody watches its time but who is asked: expire() is called by its owner.
class Session {
 public:
  using Clock = std::chrono::steady_clock;
  /// Gives a request what is the session's and turns it into what its run obeys.
  using Resolve = std::function<Result<policy::Spec>(ExecutionRequest& request)>;

  struct Parts {
    std::shared_ptr<backend::Backend> backend;  // shared with all that use it
    std::unique_ptr<backend::Box> box;
    policy::Spec spec;                       ///< of the box
    std::vector<Package> packages;           ///< that it has
    std::unique_ptr<egress::Proxy> way_out;  ///< of it, where it has one
    Resolve resolve;
    std::chrono::seconds lifetime{0};
    std::chrono::seconds idle{0};
    std::optional<Fallback> fallback;  ///< why it is not on the backend that was asked for
  };

  explicit Session(Parts parts);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  /// Only the checks at the door of a run: nothing happens in the box.
  [[nodiscard]] Status check(const ExecutionRequest& request) const;
  [[nodiscard]] ExecutionResult execute(const ExecutionRequest& request);
  using Existing = runner::Entry::Existing;
  [[nodiscard]] Status put(const std::vector<Input>& inputs, Existing existing,
                           const std::stop_token& stop);
  struct Wish {
    std::string path;                 ///< below /work
    std::optional<std::string> into;  ///< a directory of this machine's, instead of the content
    bool with_content = true;
    std::optional<Piece> piece = {};  ///< of the one file that the path must be
  };
  struct Taken {
    std::vector<Artifact> artifacts;
    std::vector<std::string> warnings;  ///< what was left out, and why
  };
  [[nodiscard]] Result<Taken> get(const Wish& wish, const std::stop_token& stop);
  /// What has a name below /work, without its content and what is in it.
  [[nodiscard]] Result<Artifact> stat(const std::string& path, const std::stop_token& stop);
  /// What lies below a directory of /work, or one file, as an archive. The sink ends it, not the
  /// session; so does what cannot be read, after all that can.
  [[nodiscard]] Status pack(const std::string& path, const ArchiveSink& sink,
                            const std::stop_token& stop);
  /// Puts what an archive holds below a directory of /work. The source ends it, not the session.
  [[nodiscard]] Status unpack(const std::string& directory, const ArchiveSource& source,
                              const std::stop_token& stop);
  [[nodiscard]] Status make_directory(const std::string& path, const std::stop_token& stop);
  [[nodiscard]] Status change(const runner::Change& change, const std::stop_token& stop);
  using OnChange = std::function<void(const FileChange& change)>;
  /// Until the stop, or the session's end.
  [[nodiscard]] Status watch(const std::string& path, const OnChange& on_change,
                             const std::stop_token& stop);
  [[nodiscard]] Result<std::vector<ContextState>> contexts(const std::stop_token& stop);
  [[nodiscard]] Status end_context(const std::string& name, const std::stop_token& stop);
  /// Ends it, and what runs in it; idempotent. Its box goes at once, or with who uses it.
  void close();

  [[nodiscard]] SessionState state() const;
  [[nodiscard]] const backend::Backend& backend() const noexcept { return *parts_.backend; }
  [[nodiscard]] const policy::Spec& spec() const noexcept { return parts_.spec; }
  [[nodiscard]] const std::optional<Fallback>& fallback() const noexcept { return parts_.fallback; }
  [[nodiscard]] const std::vector<Evidence>& evidence() const noexcept { return evidence_; }
  /// When it expires unless something happens before; a session in use does not.
  [[nodiscard]] Clock::time_point expires_at() const;
  /// Ends it if its time is over.
  void expire();

 private:
  struct Life {
    SessionState state = SessionState::ready;
    Clock::time_point used;
    bool in_use = false;
  };
  class Use;
  class Stop;
  // One question about names, and what became of it.
  using Ask = std::function<Result<runner::Placed>(const Call& call)>;
  [[nodiscard]] Result<runner::Placed> ask(const Ask& question, const std::stop_token& stop);
  [[nodiscard]] ExecutionResult run(ExecutionRequest& request, policy::Spec& spec,
                                    const std::stop_token& stop);
  [[nodiscard]] bool is_over(const Life& life) const;
  [[nodiscard]] Status begin_to_watch();
  [[nodiscard]] Status listen(const Call& call);
  [[nodiscard]] Status hear(const Call& call);
  void end(SessionState state);
  void sweep();
  void dispose();

  Parts parts_;
  std::vector<Evidence> evidence_;
  Clock::time_point made_ = Clock::now();
  mutable Guarded<Life> life_;
  std::stop_source closing_;
  Turn turn_;           // of those who use the box
  std::mutex asking_;   // of who asks something of it without a turn, and who takes it away
  Watchers watchers_;
  runner::Client client_;
  Contexts contexts_;  // of who has the turn
};

}  // namespace lazaret::core
