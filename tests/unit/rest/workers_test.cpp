#include "api/rest/workers.hpp"

#include <atomic>
#include <barrier>
#include <chrono>
#include <future>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "without_threads.hpp"

namespace lazaret::rest {
namespace {

TEST(Workers, TakeAsManyAsTheyHaveThreadsAndPlacesFor) {
  std::promise<void> open;
  const auto opened = open.get_future().share();
  Workers workers(1, 1);
  EXPECT_TRUE(workers.submit([opened] { opened.wait(); }));
  EXPECT_TRUE(workers.submit([] {}));
  EXPECT_FALSE(workers.submit([] {}));
  open.set_value();
}

TEST(Workers, TakeNothingWhereThereIsNoThread) {
  EXPECT_TRUE(test::holds_without_threads([] {
    Workers workers(2, 2);
    return !workers.submit([] {}) && !workers.submit([] {});
  }));
}

TEST(Workers, GiveThePlaceOfWhatIsGivenUpToOthers) {
  std::promise<void> open;
  const auto opened = open.get_future().share();
  std::atomic<bool> given_up = false, done = false;
  {
    Workers workers(1, 2);
    EXPECT_TRUE(workers.submit([opened] { opened.wait(); }));
    EXPECT_TRUE(
        workers.submit({[&done] { done = true; }, [&given_up] { return given_up.load(); }}));
    EXPECT_TRUE(workers.submit({[] {}, [] { return false; }}));
    EXPECT_FALSE(workers.submit([] {}));
    given_up = true;
    EXPECT_TRUE(workers.submit([] {}));
    EXPECT_FALSE(workers.submit([] {}));
    open.set_value();
  }
  EXPECT_FALSE(done);
}

// A thread made by then would be nobody's to wait for.
TEST(Workers, TakeNothingMoreOnceTheyEnd) {
  std::promise<void> begun, refused;
  std::optional<Workers> workers(std::in_place, 2U, 1UL << 40);
  ASSERT_TRUE(workers->submit([&begun, &refused, all = &*workers] {
    begun.set_value();
    while (all->submit([] {})) std::this_thread::yield();
    refused.set_value();
  }));
  begun.get_future().wait();
  workers.reset();
  EXPECT_EQ(refused.get_future().wait_for(std::chrono::seconds(0)), std::future_status::ready);
}

std::atomic<int> threads_ended = 0;
struct EndOfThread {
  bool is_used = false;
  ~EndOfThread() { ++threads_ended; }
};
thread_local EndOfThread end_of_thread;

// What a crowd has called for stays no longer than the crowd, and comes again with the next.
TEST(Workers, EndWhenTheyAreIdleButForTheLast) {
  threads_ended = 0;
  Workers workers(4, 0, std::chrono::milliseconds(20));
  for (int crowds = 1; crowds <= 3; ++crowds) {
    std::barrier<> all(5);
    for (int count = 0; count < 4; ++count) {
      ASSERT_TRUE(workers.submit([&all] {
        end_of_thread.is_used = true;
        all.arrive_and_wait();
      }));
    }
    all.arrive_and_wait();
    while (threads_ended < 3 * crowds) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_EQ(threads_ended, 3 * crowds);
  }
}

}  // namespace
}  // namespace lazaret::rest
