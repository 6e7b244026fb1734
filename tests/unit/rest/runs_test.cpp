#include "api/rest/runs.hpp"

#include <future>

#include <boost/asio/executor_work_guard.hpp>
#include <gtest/gtest.h>

namespace lazaret::rest {
namespace {

using namespace std::chrono_literals;

ExecutionRequest request_of(std::size_t bytes) {
  ExecutionRequest request;
  request.code = std::string(bytes, '#');
  return request;
}

ExecutionResult ended(const ExecutionRequest&) { return {}; }

TEST(Runs, LetResultsGoWhoseTimeIsOverWithoutBeingAsked) {
  boost::asio::io_context loop;
  Bounds bounds;
  bounds.kept = 1s;
  Workers workers(1, 1);
  Runs runs(loop, ended, workers, bounds);
  auto work = boost::asio::make_work_guard(loop);
  runs.on_empty = [&work] { work.reset(); };
  ASSERT_TRUE(runs.start(request_of(1), Tie::detached, Output::recorded));
  while (runs.count(RunState::done) == 0) loop.run_one();
  loop.run();  // nothing but the time is waited for
  EXPECT_EQ(runs.count(RunState::done), 0U);
}

TEST(Runs, HoldNobodyUpOnceTheyAreStopped) {
  boost::asio::io_context loop;
  Bounds bounds;
  bounds.kept = std::chrono::hours(1);
  Workers workers(1, 1);
  Runs runs(loop, ended, workers, bounds);
  auto work = boost::asio::make_work_guard(loop);
  runs.on_empty = [&] {
    runs.stop();
    work.reset();
  };
  ASSERT_TRUE(runs.start(request_of(1), Tie::detached, Output::recorded));
  loop.run();
  EXPECT_EQ(runs.detached().size(), 1U);
}

// Their connections have been answered, and hold nothing for them.
TEST(Runs, BoundTheBytesOfDetachedRequests) {
  boost::asio::io_context loop;
  Bounds bounds;
  bounds.bodies_bytes = 10;
  std::promise<void> begin;
  const auto begun = begin.get_future().share();
  Workers workers(1, 8);
  Runs runs(
      loop,
      [begun](const ExecutionRequest&) {
        begun.wait();
        return ExecutionResult();
      },
      workers, bounds);
  const auto work = boost::asio::make_work_guard(loop);
  EXPECT_TRUE(runs.start(request_of(4), Tie::detached, Output::recorded));
  EXPECT_FALSE(runs.start(request_of(7), Tie::detached, Output::recorded));
  EXPECT_TRUE(runs.start(request_of(6), Tie::detached, Output::recorded));
  EXPECT_TRUE(runs.start(request_of(7), Tie::attached, Output::collected));
  begin.set_value();
  while (runs.count(RunState::running) + runs.count(RunState::queued) > 0) loop.run_one();
  EXPECT_TRUE(runs.start(request_of(10), Tie::detached, Output::recorded));
  while (runs.count(RunState::running) + runs.count(RunState::queued) > 0) loop.run_one();
  runs.stop();
}

}  // namespace
}  // namespace lazaret::rest
