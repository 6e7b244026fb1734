#include "lazaret/sandbox.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <thread>

#include "base/condition.hpp"
#include "base/try.hpp"
#include "core/environment.hpp"
#include "core/service.hpp"
#include "core/session.hpp"
#include "os/init.hpp"

namespace lazaret {

// Ends the session when its time is over.
class Session::Body {
 public:
  explicit Body(std::unique_ptr<core::Session> session)
      : inside(std::move(session)), watch_([this](const std::stop_token& stop) { watch(stop); }) {}

  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;
  // In a fork the thread is not there, and the box is the parent's.
  ~Body() {
    if (owner_ == os::process_id()) return;
    watch_.detach();
    (void)inside.release();
  }

  std::unique_ptr<core::Session> inside;

 private:
  void watch(const std::stop_token& stop) {
    std::mutex mutex;
    Condition never;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested() && inside->state() == SessionState::ready) {
      const auto until = std::max(inside->expires_at(),
                                  core::Session::Clock::now() + std::chrono::milliseconds(10));
      never.wait_until(lock, stop, until, [] { return false; });
      inside->expire();
    }
  }

  std::uint32_t owner_ = os::process_id();
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
  return body_->inside->put(inputs, core::Session::Existing::gives_way, {});
}

Status Session::append(const std::vector<Input>& inputs) const {
  return body_->inside->put(inputs, core::Session::Existing::grows, {});
}

Result<std::string> Session::read(const std::string& path, std::uint64_t offset,
                                  std::size_t length) const {
  if (length == 0 || length > core::ArtifactTaker::kMostContent)
    return Error(Errc::invalid_argument, "a piece of a file has 1 byte to 8 MiB");
  LAZARET_TRY(core::Session::Taken taken,
              body_->inside->get({path, {}, true, core::Piece{offset, length}}, {}));
  if (taken.artifacts.size() == 1 && taken.artifacts.front().content)
    return std::move(*taken.artifacts.front().content);
  return Error(Errc::protocol, "the box gives something else than a piece of a file");
}

Result<std::vector<Artifact>> Session::get(const std::string& path,
                                           const std::optional<std::string>& into) const {
  LAZARET_TRY(core::Session::Taken taken, body_->inside->get({path, into}, {}));
  return std::move(taken.artifacts);
}

Result<std::vector<Artifact>> Session::list(const std::string& path) const {
  LAZARET_TRY(core::Session::Taken seen, body_->inside->get({path, std::nullopt, false}, {}));
  return std::move(seen.artifacts);
}

Result<Artifact> Session::stat(const std::string& path) const {
  return body_->inside->stat(path, {});
}

Status Session::make_directory(const std::string& path) const {
  return body_->inside->make_directory(path, {});
}

Status Session::remove(const std::string& path) const {
  return body_->inside->change({runner::Change::Kind::remove, path, {}}, {});
}

Status Session::move(const std::string& path, const std::string& target) const {
  return body_->inside->change({runner::Change::Kind::move, path, target}, {});
}

Status Session::watch(const std::string& path,
                      const std::function<void(const FileChange&)>& on_change,
                      const std::stop_token& stop) const {
  return body_->inside->watch(path, on_change, stop);
}

Result<std::vector<ContextState>> Session::contexts() const { return body_->inside->contexts({}); }

Status Session::end_context(const std::string& name) const {
  return body_->inside->end_context(name, {});
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
    try {
      return Session(std::make_unique<Session::Body>(std::move(session)));
    } catch (const std::system_error& refused) {
      return Error(Errc::system, std::string("a thread for a session: ") + refused.what());
    }
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
