#include "pool/shelves.hpp"

#include <gtest/gtest.h>

#include "unit/pool/shelves.hpp"

// When nothing is made, so that who runs now has the processors.
namespace lazaret::pool::test {
namespace {

using namespace std::chrono_literals;

TEST(Shelves, LeaveTheProcessorsToABurstAMomentFromItsFirstNeedOn) {
  Shelves shelves({.most = 4, .settling = 50ms});
  ask(shelves, "a", 2);
  EXPECT_EQ(next_kind(shelves, kStart + 49ms), "none");
  EXPECT_EQ(shelves.next_change(kStart), kStart + 50ms);
  ask(shelves, "a", 1, kStart + 40ms);
  EXPECT_EQ(next_kind(shelves, kStart + 50ms), "a") << "no longer for those that come later";
  EXPECT_EQ(next_kind(shelves, kStart + 50ms), "a");
  EXPECT_EQ(next_kind(shelves, kStart + 50ms), "none");
}

TEST(Shelves, LeaveTheProcessorsToWhoTookAMoment) {
  Shelves shelves({.most = 2, .rest = 5ms});
  ask(shelves, "a", 3);
  ASSERT_EQ(fill(shelves), 2);
  EXPECT_NE(take(shelves, "a", kStart), nullptr);
  EXPECT_EQ(next_kind(shelves, kStart + 4ms), "none");
  EXPECT_EQ(shelves.next_change(kStart), kStart + 5ms);
  EXPECT_NE(take(shelves, "a", kStart + 4ms), nullptr) << "which does not make the moment longer";
  EXPECT_EQ(next_kind(shelves, kStart + 5ms), "a");
}

TEST(Shelves, LeaveTheProcessorsToABurstThatTakesWhatWaits) {
  Shelves shelves({.most = 5, .rest = 5ms, .longest_rest = 12ms});
  ask(shelves, "a", 6);
  ASSERT_EQ(fill(shelves), 5);
  for (const auto after : {0ms, 4ms}) EXPECT_NE(take(shelves, "a", kStart + after), nullptr);
  EXPECT_EQ(next_kind(shelves, kStart + 8ms), "none");
  EXPECT_NE(take(shelves, "a", kStart + 8ms), nullptr);
  EXPECT_EQ(next_kind(shelves, kStart + 11ms), "none");
  EXPECT_EQ(next_kind(shelves, kStart + 12ms), "a") << "no longer than that";
}

TEST(Shelves, LeaveTheProcessorsToABurstWhateverArrivesMeanwhile) {
  Shelves shelves({.most = 3, .rest = 5ms});
  ask(shelves, "a", 4);
  for (int time = 0; time < 2; ++time) {
    ASSERT_EQ(next_kind(shelves), "a");
    put(shelves, "a");
  }
  ASSERT_EQ(next_kind(shelves), "a");  // comes in the middle of it
  EXPECT_NE(take(shelves, "a", kStart), nullptr);
  put(shelves, "a", kStart + 2ms);
  EXPECT_EQ(next_kind(shelves, kStart + 4ms), "none");
  EXPECT_EQ(next_kind(shelves, kStart + 5ms), "a");
}

bool all_processors_are_taken = false;

Bounds of_a_crowd() {
  return {.most = 4, .rest = 5ms, .longest_wait = 20ms, .is_crowded = [] {
            return all_processors_are_taken;
          }};
}

TEST(Shelves, LeaveTheProcessorsToThoseWhoWaitForOneButForAMomentEach) {
  Shelves shelves(of_a_crowd());
  ask(shelves, "a", 4);
  all_processors_are_taken = true;
  EXPECT_EQ(next_kind(shelves, kStart), "none");
  EXPECT_EQ(shelves.next_change(kStart), kStart + 5ms) << "it is looked at again";
  EXPECT_EQ(next_kind(shelves, kStart + 19ms), "none");
  EXPECT_EQ(next_kind(shelves, kStart + 24ms), "a") << "no longer than that";
  EXPECT_EQ(next_kind(shelves, kStart + 24ms), "none") << "the next one waits as long";
  all_processors_are_taken = false;
  EXPECT_EQ(next_kind(shelves, kStart + 28ms), "none");
  EXPECT_EQ(next_kind(shelves, kStart + 29ms), "a");
}

// The moment of who took is no part of it, and no kind's wait is another's.
TEST(Shelves, LeaveTheProcessorsToWhoTookWhereNoneIsFreeAsWell) {
  Shelves shelves(of_a_crowd());
  all_processors_are_taken = false;
  ask(shelves, "a", 3);
  ASSERT_EQ(next_kind(shelves), "a");
  put(shelves, "a");
  all_processors_are_taken = true;
  EXPECT_EQ(next_kind(shelves, kStart), "none");
  EXPECT_NE(take(shelves, "a", kStart + 4ms), nullptr);
  all_processors_are_taken = false;
  EXPECT_EQ(next_kind(shelves, kStart + 8ms), "none");
  EXPECT_EQ(next_kind(shelves, kStart + 9ms), "a");
}

TEST(Shelves, WaitForAProcessorWithAllKindsTogether) {
  Shelves shelves(of_a_crowd());
  all_processors_are_taken = true;
  ask(shelves, "a", 2);
  shelves.keep("b", kMake, 1, kStart);
  EXPECT_EQ(next_kind(shelves, kStart), "none");
  EXPECT_EQ(next_kind(shelves, kStart + 20ms), "b") << "which is owed";
  EXPECT_EQ(next_kind(shelves, kStart + 25ms), "none");
  EXPECT_EQ(shelves.next_change(kStart + 25ms), kStart + 30ms);
  all_processors_are_taken = false;
  EXPECT_EQ(next_kind(shelves, kStart + 30ms), "a");
}

// A wait that was for something that nobody needs any more is not the next one's.
TEST(Shelves, WaitAnewForWhatIsNeededLater) {
  Bounds bounds = of_a_crowd();
  bounds.idle = 10ms;
  Shelves shelves(bounds);
  all_processors_are_taken = true;
  ask(shelves, "a", 2);
  EXPECT_EQ(next_kind(shelves, kStart), "none");
  (void)shelves.outdated(kStart + 10ms);
  EXPECT_EQ(next_kind(shelves, kStart + 12ms), "none");
  ask(shelves, "a", 2, kStart + 1s);
  EXPECT_EQ(next_kind(shelves, kStart + 1s), "none");
  EXPECT_EQ(next_kind(shelves, kStart + 1s + 19ms), "none");
}

}  // namespace
}  // namespace lazaret::pool::test
