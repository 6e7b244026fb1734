#pragma once

#include <boost/asio/post.hpp>
#include <functional>
#include <utility>

#include "api/rest/desk.hpp"
#include "api/rest/visitor.hpp"

namespace lazaret::rest {

/// Who does what blocks: takes a task, or has no room and says false.
using Submit = std::function<bool(std::function<void()>)>;

/// Work that blocks, done by somebody else; the client's going away stops it. What it returns, a
/// Result, goes to `reply(visitor, value)` on the loop, an error to the client.
template <typename Work, typename Reply>
void do_aside(Desk& desk, const VisitorPointer& visitor, const Submit& submit, Work work,
              Reply reply) {
  std::stop_source stop;
  visitor->when_gone([stop]() mutable { stop.request_stop(); });
  const Call call{Deadline::never(), stop.get_token()};
  auto& loop = desk.loop;
  // The visitor goes back to the loop with the answer: a connection must not end on a worker.
  const bool taken = submit([&loop, visitor = VisitorPointer(visitor), call, work = std::move(work),
                             reply = std::move(reply)]() mutable {
    auto made = work(call);
    boost::asio::post(loop, [visitor = std::move(visitor), made = std::move(made),
                             reply = std::move(reply)]() mutable {
      if (!made.ok()) return visitor->refuse(problem_of(made.error()));
      reply(visitor, std::move(made).value());
    });
  });
  if (!taken)
    visitor->refuse({429, "queue_full", "too many such requests wait", {}, Bounds::kRetry});
}

/// These workers, as somebody who takes tasks.
[[nodiscard]] inline Submit by(Workers& workers) {
  return [&workers](std::function<void()> task) { return workers.submit(std::move(task)); };
}

}  // namespace lazaret::rest
