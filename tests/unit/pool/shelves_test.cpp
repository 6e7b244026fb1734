#include "pool/shelves.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "unit/pool/shelves.hpp"

namespace lazaret::pool::test {
namespace {

using namespace std::chrono_literals;

TEST(Shelves, NeedNothingForTheFirstDemandAndOneForEachFurtherOne) {
  Shelves shelves({.most = 2});
  EXPECT_FALSE(shelves.miss("a", kMaker, kStart));
  EXPECT_EQ(next_kind(shelves), "none");
  EXPECT_TRUE(shelves.miss("a", kMaker, kStart));
  EXPECT_EQ(next_kind(shelves), "a");
  EXPECT_EQ(next_kind(shelves), "none") << "it is coming";
  put(shelves, "a");
  EXPECT_EQ(shelves.waiting(), 1U);
  EXPECT_NE(take(shelves, "a", kStart), nullptr);
  EXPECT_EQ(next_kind(shelves, kStart + 5ms), "a") << "that was taken is made up for";
}

TEST(Shelves, AskHowAKindIsMadeOnceItIsNeeded) {
  int asked = 0;
  const Maker maker = [&asked] { return ++asked, kMake; };
  Shelves shelves({.most = 2});
  EXPECT_FALSE(shelves.miss("a", maker, kStart));
  EXPECT_EQ(asked, 0);
  for (int time = 0; time < 3; ++time) EXPECT_TRUE(shelves.miss("a", maker, kStart));
  EXPECT_EQ(asked, 1);
}

// Or what is put back had no place left, and would be thrown away for its replacement.
TEST(Shelves, KeepThePlaceOfWhatIsTried) {
  Shelves shelves({.most = 1, .kinds = 1, .idle = 1s});
  ask(shelves, "a", 2);
  ASSERT_EQ(next_kind(shelves), "a");
  put(shelves, "a");
  auto tried = shelves.take("a", kStart);
  ASSERT_NE(tried, nullptr);
  EXPECT_EQ(next_kind(shelves, kStart + 5ms), "none");
  EXPECT_FALSE(shelves.miss("b", kMaker, kStart)) << "a has not gone";
  EXPECT_TRUE(shelves.outdated(kStart + 1s).empty());
  EXPECT_GT(shelves.next_change(kStart + 1s), kStart + 1s);
  shelves.put_back("a", std::move(tried));
  EXPECT_NE(take(shelves, "a", kStart), nullptr);
  EXPECT_EQ(next_kind(shelves, kStart + 5ms), "a") << "it has gone now";
}

TEST(Shelves, PreferTheKindAskedForLast) {
  Shelves shelves({});
  ask(shelves, "a", 2);
  ask(shelves, "b", 2, kStart + 1s);
  ask(shelves, "c", 2, kStart);
  EXPECT_EQ(next_kind(shelves, kStart + 1s), "b");
}

TEST(Shelves, CountWhatIsComingAmongWhatTheyMayHold) {
  Shelves shelves({.most = 2});
  ask(shelves, "a", 9);
  ask(shelves, "b", 9);
  EXPECT_NE(next_kind(shelves), "none");
  EXPECT_NE(next_kind(shelves), "none");
  EXPECT_EQ(next_kind(shelves), "none");
}

TEST(Shelves, GiveThePlacesOfWhatNobodyAsksForToWhatIsInDemand) {
  Shelves shelves({.most = 2, .recent = 1s});
  ask(shelves, "a", 3);
  for (int time = 0; time < 2; ++time) {
    ASSERT_EQ(next_kind(shelves), "a");
    put(shelves, "a");
  }
  ask(shelves, "b", 2, kStart + 999ms);
  EXPECT_EQ(next_kind(shelves, kStart + 999ms), "none") << "a was asked for a moment ago";
  EXPECT_EQ(shelves.next_change(kStart + 999ms), kStart + 1s);
  const auto order = shelves.next_order(kStart + 1s);
  ASSERT_TRUE(order.has_value());
  EXPECT_EQ(order->kind, "b");
  EXPECT_EQ(shelves.outdated(kStart + 1s).size(), 1U) << "what gave way";
  put(shelves, "b", kStart + 1s);
  EXPECT_EQ(next_kind(shelves, kStart + 3s), "none") << "a does not want its place back";
  ask(shelves, "c", 2, kStart + 3s);
  EXPECT_EQ(next_kind(shelves, kStart + 3s), "c");
  EXPECT_EQ(shelves.waiting(), 1U) << "b, which was asked for later than a";
  EXPECT_NE(take(shelves, "b", kStart + 3s), nullptr);
}

TEST(Shelves, TakeNothingForAKindFromOneThatIsAskedForAsMuch) {
  Shelves shelves({.most = 1, .recent = 1s});
  ask(shelves, "a", 2);
  ASSERT_EQ(next_kind(shelves), "a");
  put(shelves, "a");
  ask(shelves, "b", 2);
  EXPECT_EQ(next_kind(shelves, kStart + 2s), "none");
}

// Each time the one asked for longest ago is the one that comes next.
TEST(Shelves, TakeNothingFromEachOtherForKindsThatAreAskedForInTurns) {
  Shelves shelves({.most = 2, .recent = 1s});
  int displaced = 0, hits = 0;
  for (int step = 0; step < 60; ++step) {
    const std::string kind(1, static_cast<char>('a' + step % 3));
    const Shelves::Time now = kStart + step * 1500ms;
    if (take(shelves, kind, now))
      ++hits;
    else
      (void)shelves.miss(kind, kMaker, now);
    while (const auto order = shelves.next_order(now + 1s)) {
      displaced += static_cast<int>(shelves.outdated(now + 1s).size());
      put(shelves, order->kind, now + 1s);
    }
  }
  EXPECT_EQ(displaced, 0);
  EXPECT_GE(hits, 36) << "two of three";
}

TEST(Shelves, HoldNoMoreMemoryThanTheyMay) {
  Shelves shelves({.memory_bytes = 30});
  ask(shelves, "a", 9);
  EXPECT_EQ(fill(shelves, kStart, 10), 3);
  EXPECT_EQ(shelves.stands().front().memory_bytes, 30U);
  EXPECT_NE(take(shelves, "a", kStart), nullptr);
  EXPECT_EQ(next_kind(shelves, kStart + 1s), "a");
  EXPECT_EQ(next_kind(shelves, kStart + 1s), "none") << "what is coming has its place";
  put(shelves, "a", kStart + 1s, 11);
  EXPECT_EQ(shelves.waiting(), 2U) << "it has grown, and is one byte too large";
  EXPECT_EQ(shelves.outdated(kStart + 1s).size(), 1U);
}

TEST(Shelves, MakeNoMoreOfAKindThatIsLargerThanAllThereIs) {
  Shelves shelves({.memory_bytes = 10});
  ask(shelves, "large", 3, kStart + 1s);
  ask(shelves, "small", 2);
  ASSERT_EQ(next_kind(shelves, kStart + 1s), "large");
  put(shelves, "large", kStart + 1s, 11);
  EXPECT_EQ(shelves.outdated(kStart + 1s).size(), 1U);
  EXPECT_EQ(next_kind(shelves, kStart + 1s), "small") << "which it is not in the way of";
}

TEST(Shelves, GiveMemoryToWhatIsInDemand) {
  Shelves shelves({.memory_bytes = 30, .recent = 1s});
  ask(shelves, "a", 4);
  EXPECT_EQ(fill(shelves, kStart, 10), 3);
  ask(shelves, "b", 2, kStart + 1s);
  ASSERT_EQ(next_kind(shelves, kStart + 1s), "b") << "nobody knows yet what it takes";
  put(shelves, "b", kStart + 1s, 20);
  EXPECT_EQ(shelves.outdated(kStart + 1s).size(), 1U) << "which there is not";
  EXPECT_EQ(next_kind(shelves, kStart + 1s), "b");
  EXPECT_EQ(shelves.outdated(kStart + 1s).size(), 2U) << "what gave way";
  EXPECT_EQ(shelves.waiting(), 1U);
}

// What would not be enough is not given up.
TEST(Shelves, GiveNothingUpForWhatFindsNoPlaceEvenSo) {
  Shelves shelves({.memory_bytes = 30, .recent = 1s, .rest = 0ms});
  ask(shelves, "stale", 2);
  ASSERT_EQ(fill(shelves, kStart, 5), 1);
  ask(shelves, "large", 2, kStart + 1s);
  ASSERT_EQ(fill(shelves, kStart + 1s, 20), 1);
  ASSERT_NE(take(shelves, "large", kStart + 2s), nullptr);
  ask(shelves, "busy", 2, kStart + 3s);
  ASSERT_EQ(next_kind(shelves, kStart + 3s), "busy");
  put(shelves, "busy", kStart + 3s, 24);
  ask(shelves, "small", 2, kStart);
  EXPECT_EQ(next_kind(shelves, kStart + 3s), "small") << "the large one is not in its way";
  EXPECT_TRUE(shelves.outdated(kStart + 3s).empty()) << "the stale one does not make room for it";
}

TEST(Shelves, CountASecondLookForNoDemand) {
  Shelves shelves({.most = 1, .recent = 1s});
  ask(shelves, "a", 2);
  EXPECT_EQ(fill(shelves), 1);
  EXPECT_EQ(take(shelves, "b", kStart - 1s), nullptr);
  for (int time = 0; time < 2; ++time) (void)shelves.miss("b", kMaker, kStart - 1s);
  EXPECT_EQ(take(shelves, "b", kStart + 2s), nullptr);
  (void)shelves.miss("b", kMaker, kStart + 2s);
  EXPECT_EQ(shelves.take("b", kStart + 2s, Demand::again), nullptr);
  EXPECT_EQ(next_kind(shelves, kStart + 2s), "none") << "a was asked for since";
}

// As many as a burst needed are more than one caller after another needs.
TEST(Shelves, GiveUpWhatNobodyHasNeededForATime) {
  Shelves shelves({.idle = 10s, .rest = 0ms});
  ask(shelves, "a", 6);
  EXPECT_EQ(fill(shelves), 5);
  std::size_t given_up = 0;
  for (int second = 1; second <= 30; ++second) {
    const Shelves::Time now = kStart + second * 1s;
    given_up += shelves.outdated(now).size();
    EXPECT_NE(take(shelves, "a", now), nullptr);
    EXPECT_EQ(fill(shelves, now), 1);
    EXPECT_EQ(given_up > 0, second >= 20) << "the burst was in the first ten of " << second;
  }
  EXPECT_EQ(given_up, 4U);
  EXPECT_EQ(shelves.waiting(), 1U) << "which is needed each time";
}

TEST(Shelves, MakeNothingAgainThatTheyHaveGivenUp) {
  Shelves shelves({.memory_bytes = 30, .idle = 1s, .rest = 0ms});
  ask(shelves, "a", 9);
  EXPECT_EQ(fill(shelves, kStart, 10), 3);
  std::size_t given_up = 0;
  for (const auto later : {500ms, 1500ms}) {
    EXPECT_NE(take(shelves, "a", kStart + later), nullptr);
    EXPECT_EQ(fill(shelves, kStart + later, 10), 1);
    given_up += shelves.outdated(kStart + later + 500ms).size();
  }
  EXPECT_EQ(given_up, 2U);
  EXPECT_EQ(fill(shelves, kStart + 3s, 10), 0) << "there is room, but no need";
}

TEST(Shelves, MakeNoMoreInASecondThanTheyMayAfterABurst) {
  Shelves shelves({.most = 3, .rate = 10, .rest = 0ms});
  ask(shelves, "a", 4);
  EXPECT_EQ(fill(shelves), 3);
  int made = 0;
  for (auto now = kStart; now < kStart + 2s; now += 1ms) {
    if (take(shelves, "a", now) == nullptr) (void)shelves.miss("a", kMaker, now);
    made += fill(shelves, now);
  }
  EXPECT_GE(made, 19);
  EXPECT_LE(made, 21);
}

TEST(Shelves, SayWhenTheyMayMakeAgain) {
  Shelves shelves({.most = 1, .rate = 10, .rest = 0ms});
  ask(shelves, "a", 2);
  EXPECT_EQ(fill(shelves), 1);
  EXPECT_NE(take(shelves, "a", kStart), nullptr);
  EXPECT_EQ(next_kind(shelves), "none");
  EXPECT_EQ(shelves.next_change(kStart), kStart + 100ms);
  EXPECT_EQ(next_kind(shelves, kStart + 100ms), "a");
}

TEST(Shelves, PauseAKindThatFailedLongerEachTime) {
  Shelves shelves({.first_pause = 10ms, .longest_pause = 15ms});
  ask(shelves, "a", 2);
  Shelves::Time now = kStart;
  for (const auto pause : {10ms, 15ms, 15ms}) {
    EXPECT_EQ(next_kind(shelves, now), "a");
    shelves.put("a", nullptr, now);
    EXPECT_EQ(shelves.next_change(now), now + pause);
    EXPECT_EQ(next_kind(shelves, now + pause - 1ms), "none");
    now += pause;
  }
  EXPECT_EQ(next_kind(shelves, now), "a");
  put(shelves, "a", now);
  ask(shelves, "b", 2, now);
  EXPECT_EQ(next_kind(shelves, now), "b") << "its failures are its own";
}

TEST(Shelves, GiveUpAKindAfterItsTimeAndNotBefore) {
  Shelves shelves({.idle = 1s});
  ask(shelves, "a", 2);
  EXPECT_EQ(next_kind(shelves), "a");
  put(shelves, "a");
  EXPECT_TRUE(shelves.outdated(kStart + 999ms).empty());
  EXPECT_EQ(shelves.next_change(kStart), kStart + 1s);
  EXPECT_EQ(shelves.outdated(kStart + 1s).size(), 1U);
  EXPECT_EQ(shelves.kinds(), 0U);
  EXPECT_FALSE(shelves.miss("a", kMaker, kStart + 1s)) << "it is new again";
}

// It is kept until it has come; asking for what is past would be asking without end.
TEST(Shelves, WaitForNothingThatIsPastWhileSomethingIsComing) {
  Shelves shelves({.idle = 1s});
  ask(shelves, "a", 2);
  EXPECT_EQ(next_kind(shelves), "a");
  const auto late = kStart + 2s;
  EXPECT_TRUE(shelves.outdated(late).empty());
  EXPECT_GT(shelves.next_change(late), late);
  put(shelves, "a", late);
  EXPECT_EQ(shelves.outdated(late).size(), 1U);
}

TEST(Shelves, RememberSoManyKindsAndForgetTheOneAskedForLongestAgo) {
  Shelves shelves({.kinds = 3});
  for (int kind = 0; kind < 3; ++kind) ask(shelves, std::to_string(kind), 1, kStart + kind * 1s);
  ask(shelves, "0", 1, kStart + 3s);
  EXPECT_EQ(shelves.kinds(), 3U);
  ask(shelves, "new", 1, kStart + 4s);
  EXPECT_EQ(shelves.kinds(), 3U);
  EXPECT_TRUE(shelves.miss("0", kMaker, kStart + 5s)) << "is remembered";
  EXPECT_TRUE(shelves.miss("2", kMaker, kStart + 5s)) << "is remembered";
  EXPECT_FALSE(shelves.miss("1", kMaker, kStart + 5s)) << "was forgotten";
}

TEST(Shelves, ForgetNoKindOfWhichThereIsSomething) {
  Shelves shelves({.kinds = 2});
  for (const char* const kind : {"waits", "comes"}) {
    ask(shelves, kind, 2);
    EXPECT_EQ(next_kind(shelves), kind);
  }
  put(shelves, "waits");
  for (int time = 0; time < 2; ++time) EXPECT_FALSE(shelves.miss("new", kMaker, kStart + 1s));
  EXPECT_NE(take(shelves, "waits", kStart + 2s), nullptr);
  put(shelves, "comes");
  EXPECT_EQ(shelves.waiting(), 1U);
  ask(shelves, "new", 2, kStart + 3s);
  EXPECT_EQ(next_kind(shelves, kStart + 3s), "new");
}

struct Heavy final : Item {
  Fitness fitness(const Call&) override { return Fitness::fit; }
  std::uint64_t memory_bytes() const noexcept override { return 100; }
};

// By the order of the kinds themselves something could be tried out on them.
TEST(Shelves, ShowKindsByTheirNamesAndInTheOrderOfThose) {
  const auto name = [](const std::string& kind) { return std::string(kind == "a" ? "2" : "1"); };
  Shelves shelves({.shown = name});
  ask(shelves, "a", 1);
  ask(shelves, "b", 1);
  const std::vector<Stand> stands = shelves.stands();
  ASSERT_EQ(stands.size(), 2U);
  EXPECT_EQ(stands[0].kind, "1");
  EXPECT_EQ(stands[1].kind, "2");
}

TEST(Shelves, SayWhatTheyHaveOfEachKind) {
  Shelves shelves({.most = 8});
  ask(shelves, "b", 4);
  ask(shelves, "a", 1);
  for (int time = 0; time < 3; ++time) EXPECT_EQ(next_kind(shelves), "b");
  for (int time = 0; time < 2; ++time) shelves.put("b", std::make_unique<Heavy>(), kStart);
  const std::vector<Stand> stands = shelves.stands();
  ASSERT_EQ(stands.size(), 2U);
  EXPECT_EQ(stands[0].kind, "a");
  EXPECT_EQ(stands[0].wanted + stands[0].waiting + stands[0].coming, 0U);
  EXPECT_EQ(stands[1].waiting, 2U);
  EXPECT_EQ(stands[1].coming, 1U);
  EXPECT_EQ(stands[1].wanted, 3U);
  EXPECT_EQ(stands[1].memory_bytes, 200U);
}

}  // namespace
}  // namespace lazaret::pool::test
