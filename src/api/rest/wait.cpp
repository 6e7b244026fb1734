#include "api/rest/wait.hpp"

#include <utility>

namespace lazaret::rest {

Wait::Wait(boost::asio::io_context& loop, std::shared_ptr<Run> run, Terms terms)
    : run_(std::move(run)), terms_(std::move(terms)), timer_(loop) {}

void Wait::begin(boost::asio::io_context& loop, std::shared_ptr<Run> run,
                 const VisitorPointer& visitor, Terms terms) {
  if (terms.most.count() == 0 || terms.ready()) return terms.answer();
  std::make_shared<Wait>(loop, std::move(run), std::move(terms))->watch(visitor);
}

// It lives as long as one of these three may still come.
void Wait::watch(const VisitorPointer& visitor) {
  const auto self = shared_from_this();
  watcher_ = run_->watchers.add([self] {
    if (self->terms_.ready()) self->end(Ending::answered);
  });
  visitor->when_gone([self] { self->end(Ending::gone); });
  timer_.expires_after(terms_.most);
  timer_.async_wait([self](const boost::system::error_code& stopped) {
    if (!stopped) self->end(Ending::answered);
  });
}

void Wait::end(Ending ending) {
  if (std::exchange(over_, true)) return;
  const auto self = shared_from_this();
  run_->watchers.remove(watcher_);
  timer_.cancel();
  if (ending == Ending::answered) terms_.answer();
  terms_ = {};
}

}  // namespace lazaret::rest
