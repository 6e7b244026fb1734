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
#include "lazaret/session.hpp"
#include "policy/spec.hpp"
#include "runner/client.hpp"

namespace lazaret::core {

/// The box of a session and what may happen in it. Thread-safe: one thing at a time, in no
/// particular order. Nobody watches its time but who is asked: expire() is called by its owner.
class Session {
 public:
  using Clock = std::chrono::steady_clock;
  /// Turns a request into what a run of this session obeys.
  using Resolve = std::function<Result<policy::Spec>(const ExecutionRequest& request)>;

  struct Parts {
    std::shared_ptr<backend::Backend> backend;  // shared with all that use it
    std::unique_ptr<backend::Box> box;
    policy::Spec spec;  ///< of the box
    Resolve resolve;
    std::chrono::seconds lifetime{0};
    std::chrono::seconds idle{0};
  };

  explicit Session(Parts parts);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  [[nodiscard]] ExecutionResult execute(const ExecutionRequest& request);
  [[nodiscard]] Status put(const std::vector<Input>& inputs, const std::stop_token& stop);
  struct Wish {
    std::string path;                 ///< below /work
    std::optional<std::string> into;  ///< a directory of this machine's
    bool with_content = false;
  };
  [[nodiscard]] Result<std::vector<Artifact>> get(const Wish& wish, const std::stop_token& stop);
  /// Ends it, and what runs in it; idempotent. Its box goes at once, or with who uses it.
  void close();

  [[nodiscard]] SessionState state() const;
  [[nodiscard]] const policy::Spec& spec() const noexcept { return parts_.spec; }
  [[nodiscard]] const backend::Backend& backend() const noexcept { return *parts_.backend; }
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
  [[nodiscard]] ExecutionResult run(const ExecutionRequest& request, const policy::Spec& spec);
  [[nodiscard]] bool is_over(const Life& life) const;
  void end(SessionState state);
  void sweep();
  void dispose();

  Parts parts_;
  std::vector<Evidence> evidence_;
  Clock::time_point made_ = Clock::now();
  mutable Guarded<Life> life_;
  std::stop_source closing_;
  Turn turn_;  // of those who use the box
  runner::Client client_;
};

}  // namespace lazaret::core
