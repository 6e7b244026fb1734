#include "api/rest/workers.hpp"

#include <atomic>
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

}  // namespace
}  // namespace lazaret::rest
