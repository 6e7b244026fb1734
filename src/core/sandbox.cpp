#include "lazaret/sandbox.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/try.hpp"
#include "core/environment.hpp"
#include "core/service.hpp"
#include "core/session.hpp"
#include "core/transfer.hpp"

namespace lazaret {

// Ends the session when its time is over.
class Session::Body {
 public:
  explicit Body(std::unique_ptr<core::Session> session)
      : inside(std::move(session)), watch_([this](const std::stop_token& stop) { watch(stop); }) {}

  const std::unique_ptr<core::Session> inside;

 private:
  void watch(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested() && inside->state() == SessionState::ready) {
      const auto until = std::max(inside->expires_at(),
                                  core::Session::Clock::now() + std::chrono::milliseconds(10));
      never.wait_until(lock, stop, until, [] { return false; });
      inside->expire();
    }
  }

  std::jthread watch_;
};

Session::Session(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

ExecutionResult Session::execute(const ExecutionRequest& request) const {
  return body_->inside->execute(request);
}

Status Session::put(const std::vector<Input>& inputs) const {
  return body_->inside->put(inputs, core::transfer_call(body_->inside->spec().limits, {}));
}

Result<std::vector<Artifact>> Session::get(const std::string& path,
                                           const std::optional<std::string>& into) const {
  return body_->inside->get({path, into, false},
                            core::transfer_call(body_->inside->spec().limits, {}));
}

SessionState Session::state() const { return body_->inside->state(); }
const std::vector<Evidence>& Session::evidence() const { return body_->inside->evidence(); }
void Session::close() const { body_->inside->close(); }

class CodeSandbox::Body {
 public:
  explicit Body(std::unique_ptr<core::Service> service) : service_(std::move(service)) {}
  [[nodiscard]] ExecutionResult execute(const ExecutionRequest& request) {
    return service_->execute(request);
  }
  [[nodiscard]] Result<Session> open_session(const SessionRequest& request) {
    LAZARET_TRY(auto session, service_->open_session(request));
    return Session(std::make_unique<Session::Body>(std::move(session)));
  }

 private:
  std::unique_ptr<core::Service> service_;
};

CodeSandbox::CodeSandbox(std::unique_ptr<Body> body) : body_(std::move(body)) {}
CodeSandbox::CodeSandbox(CodeSandbox&&) noexcept = default;
CodeSandbox& CodeSandbox::operator=(CodeSandbox&&) noexcept = default;
CodeSandbox::~CodeSandbox() = default;

ExecutionResult CodeSandbox::execute(const ExecutionRequest& request) const {
  return body_->execute(request);
}

Result<Session> CodeSandbox::open_session(const SessionRequest& request) const {
  return body_->open_session(request);
}

Result<CodeSandbox> SandboxFactory::from_environment() { return with({}); }

Result<CodeSandbox> SandboxFactory::with(const SandboxOptions& options) {
  LAZARET_TRY(policy::Config config, core::load_config_here(options));
  return CodeSandbox(std::make_unique<CodeSandbox::Body>(core::make_service(std::move(config))));
}

}  // namespace lazaret
