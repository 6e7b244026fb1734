#include "base/condition.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace lazaret {
namespace {

using Clock = std::chrono::steady_clock;

struct Waiting {
  std::mutex mutex;
  Condition changed;
  bool ready = false;

  bool wait(const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    return changed.wait(lock, stop, [this] { return ready; });
  }
  bool wait_until(const std::stop_token& stop, Clock::time_point at) {
    std::unique_lock lock(mutex);
    return changed.wait_until(lock, stop, at, [this] { return ready; });
  }
  void make_ready() {
    const std::scoped_lock lock(mutex);
    ready = true;
    changed.notify_one();
  }
};

// A wake-up that is lost once in thousands of times hangs a program for ever: the stop comes just
// as the wait begins, often.
TEST(Condition, EndsItsWaitAtAStopEveryTime) {
  for (int time = 0; time < 300; ++time) {
    std::mutex mutex;
    Condition changed;
    std::atomic<bool> looked = false;
    std::jthread waiter([&](const std::stop_token& stop) {
      std::unique_lock lock(mutex);
      EXPECT_FALSE(changed.wait(lock, stop, [&] { return looked.exchange(true) && false; }));
    });
    while (!looked) std::this_thread::yield();
    waiter.request_stop();
  }
}

TEST(Condition, EndsItsWaitOnceItIsReady) {
  Waiting waiting;
  std::jthread waiter([&](const std::stop_token& stop) { EXPECT_TRUE(waiting.wait(stop)); });
  waiting.make_ready();
  waiter.join();
}

TEST(Condition, EndsItsWaitAtTheTimeGiven) {
  Waiting waiting;
  const auto at = Clock::now() + std::chrono::milliseconds(5);
  EXPECT_FALSE(waiting.wait_until(std::stop_source().get_token(), at));
  EXPECT_GE(Clock::now(), at);
}

}  // namespace
}  // namespace lazaret
