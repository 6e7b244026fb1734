#include "api/rest/readiness.hpp"

#include <boost/asio/post.hpp>
#include <utility>

namespace lazaret::rest {
namespace {

constexpr std::chrono::seconds kFresh{10}, kPatience{9};

Readiness::Verdict verdict_of(const ExecutionResult& result) {
  if (result.success()) return std::nullopt;
  Problem problem{503, std::string(name_of(result.meta.cause)), "a trial run did not succeed"};
  if (result.error) problem.detail = result.error->message;
  problem.hint = result.error ? result.error->hint.value_or("") : "";
  problem.retry_after = kFresh;
  return problem;
}

ExecutionRequest trial(std::stop_token stop) {
  ExecutionRequest request;
  request.command = {"true"};
  request.stop = std::move(stop);
  return request;
}

}  // namespace

void Readiness::ask(std::function<void(const Verdict&)> listener) {
  if (tried_ && std::chrono::steady_clock::now() - *tried_ < kFresh) return listener(verdict_);
  listeners_.push_back(std::move(listener));
  if (listeners_.size() == 1) bound();
  if (trying_) return;
  trying_ = chores_.submit([this] {
    boost::asio::post(loop_,
                      [this, verdict = verdict_of(execute_(trial(stop_.get_token())))]() mutable {
                        tried_ = std::chrono::steady_clock::now();
                        settle(std::move(verdict));
                      });
  });
  if (!trying_) settle(Problem{503, "busy", "no time for a trial", {}, std::chrono::seconds(1)});
}

// An engine that says nothing is waited for longer than who asks has time for.
void Readiness::bound() {
  timer_.expires_after(kPatience);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error && trying_) tell(Problem{503, "timeout", "a trial run takes long", {}, kFresh});
  });
}

void Readiness::settle(Verdict verdict) {
  trying_ = false;
  verdict_ = std::move(verdict);
  timer_.cancel();
  tell(verdict_);
}

void Readiness::tell(const Verdict& verdict) {
  for (const auto& listener : std::exchange(listeners_, {})) listener(verdict);
}

}  // namespace lazaret::rest
