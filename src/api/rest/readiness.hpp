#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "api/rest/answer.hpp"
#include "api/rest/runs.hpp"
#include "api/rest/workers.hpp"

namespace lazaret::rest {

/// Whether a run would find a box: tried by running `true` in one, not more often than every ten
/// seconds. Lives on the loop's thread.
class Readiness {
 public:
  /// What is missing; nothing when all is there.
  using Verdict = std::optional<Problem>;

  Readiness(boost::asio::io_context& loop, Runs::Execute execute, Workers& chores)
      : loop_(loop), execute_(std::move(execute)), chores_(chores), timer_(loop) {}

  /// Calls back on the loop, at once when the last trial is recent, and in ten seconds at most: a
  /// trial that takes longer goes on.
  void ask(std::function<void(const Verdict&)> listener);
  /// Ends a trial that is under way.
  void stop() {
    stop_.request_stop();
    timer_.cancel();
  }

 private:
  void bound();
  void settle(Verdict verdict);
  void tell(const Verdict& verdict);

  boost::asio::io_context& loop_;
  Runs::Execute execute_;
  Workers& chores_;
  boost::asio::steady_timer timer_;
  std::vector<std::function<void(const Verdict&)>> listeners_;
  std::stop_source stop_;
  bool trying_ = false;
  Verdict verdict_;
  std::optional<std::chrono::steady_clock::time_point> tried_;
};

}  // namespace lazaret::rest
