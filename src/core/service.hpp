#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/choose.hpp"
#include "base/guarded.hpp"
#include "base/turn.hpp"
#include "core/packages.hpp"
#include "core/pool_state.hpp"
#include "core/session.hpp"
#include "lazaret/execution_result.hpp"
#include "lazaret/request.hpp"
#include "os/init.hpp"
#include "policy/config.hpp"
#include "policy/spec.hpp"

namespace lazaret::core {

using BackendFinder = std::function<backend::Found(backend::BackendKind, const Call&)>;

/// Requests in, results out: checks at the door, chooses the backend, runs. Thread-safe.
class Service {
 public:
  Service(policy::Config config, BackendFinder finder, PackagePlaces packages = {})
      : config_(std::move(config)), finder_(std::move(finder)), packages_(std::move(packages)) {}
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service();

  /// Only the checks at the door: nothing is contacted or made.
  [[nodiscard]] Status check(const ExecutionRequest& request) const;
  [[nodiscard]] ExecutionResult execute(const ExecutionRequest& request);
  /// Of a request that check() has taken.
  [[nodiscard]] ExecutionResult execute_checked(const ExecutionRequest& request);
  /// A box that is kept. Errors: invalid_argument for what cannot be, and those of Backend::open.
  [[nodiscard]] Result<std::unique_ptr<Session>> open_session(const SessionRequest& request);
  /// Has boxes wait as the configuration's `pool.ready` says, with each backend that is found from
  /// now on. For a process that stays; before others use this. Errors: those of ready_in.
  [[nodiscard]] Status keep_ready();
  /// Where clients are strangers to each other: what goes wrong behind an answer is told to the
  /// listener, by any thread, and not to who comes next. Before others use this.
  void tell(std::function<void(const std::string& what)> listener) {
    listener_ = std::move(listener);
  }
  /// Of the backends that have been found so far and make boxes ahead.
  [[nodiscard]] std::vector<PoolState> pools();
  [[nodiscard]] const policy::Config& config() const noexcept { return config_; }

 private:
  struct Choice {
    std::shared_ptr<backend::Backend> backend;
    Error error;  ///< why there is none
  };
  // What one process knows.
  struct Known {
    const std::uint32_t owner = os::process_id();
    Turn search;  // one at a time: the others wait for what it finds
    struct Kept {
      std::shared_ptr<backend::Backend> backend;
      std::string endpoint;
    };
    // Shared with the runs that use them: an engine is searched for once, while it gives boxes.
    Guarded<std::map<backend::BackendKind, Kept>> backends;
  };
  [[nodiscard]] std::vector<backend::BackendKind> chain() const;
  [[nodiscard]] Choice backend_of(backend::BackendKind kind, const Call& call);
  // How far an attempt has come: nothing has run without a box.
  enum class Reached { nobody, backend, box };
  struct Attempt {
    ExecutionResult result;
    Reached reached = Reached::nobody;
  };
  [[nodiscard]] Attempt attempt(backend::BackendKind kind, const ExecutionRequest& request);
  // Why a backend that was found before is not there any more; nothing while it is.
  // Another one that is found in its place is the one from now on.
  [[nodiscard]] std::optional<Error> loss_of(backend::BackendKind kind, Cause cause,
                                             const std::stop_token& stop);
  // What a request's packages were made from; the spec shows them from now on.
  [[nodiscard]] Result<std::vector<Package>> add_packages(policy::Spec& spec,
                                                          const ExecutionRequest& request,
                                                          backend::Backend& backend) const;
  void have_ready(backend::Backend& backend) const;
  [[nodiscard]] Known& known();
  [[nodiscard]] Result<Session::Parts> open_on(std::shared_ptr<backend::Backend> backend,
                                               const SessionRequest& request) const;
  [[nodiscard]] bool goes_on_after(Reached reached, Cause cause) const;
  static void add_reason(std::string& reasons, backend::BackendKind kind, const std::string& why);
  [[nodiscard]] std::optional<Fallback> fallback_for(const std::string& reasons) const;

  policy::Config config_;
  BackendFinder finder_;
  PackagePlaces packages_;
  bool keeps_ready_ = false;
  std::function<void(const std::string& what)> listener_;
  std::atomic<Known*> known_ = std::make_unique<Known>().release();  // owned, but for a parent's
};

}  // namespace lazaret::core
