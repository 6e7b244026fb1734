#include "pool/shelves.hpp"

#include <string>

#include <gtest/gtest.h>

#include "unit/pool/shelves.hpp"

// What waits whether anybody asks or not.
namespace lazaret::pool::test {
namespace {

using namespace std::chrono_literals;

TEST(Shelves, KeepWhatTheyAreToldToWhetherAnybodyAsksOrNot) {
  Shelves shelves({.most = 3, .idle = 1s, .settling = 50ms});
  shelves.keep("a", kMake, 2, kStart);
  EXPECT_EQ(fill(shelves, kStart + 49ms), 0);
  EXPECT_EQ(fill(shelves, kStart + 50ms), 2);
  for (int second = 1; second < 9; ++second) {
    EXPECT_TRUE(shelves.outdated(kStart + second * 1s).empty());
    EXPECT_GT(shelves.next_change(kStart + second * 1s), kStart + second * 1s);
  }
  EXPECT_NE(take(shelves, "a", kStart + 9s), nullptr);
  EXPECT_EQ(fill(shelves, kStart + 10s), 1) << "and make up for what is taken";
  EXPECT_EQ(shelves.waiting(), 2U);
}

TEST(Shelves, LookNowAndThenForWhatHasEnded) {
  Shelves shelves({.most = 3, .between_looks = 1s, .first_pause = 100ms});
  EXPECT_EQ(shelves.next_look(), Shelves::Time::max()) << "nothing waits";
  shelves.keep("a", kMake, 2, kStart);
  EXPECT_EQ(fill(shelves), 2);
  EXPECT_TRUE(shelves.ended(kStart).empty());
  EXPECT_EQ(shelves.next_look(), kStart + 1s);
  auto item = shelves.take("a", kStart);
  static_cast<Thing&>(*item).is_over = true;
  shelves.put_back("a", std::move(item));
  EXPECT_TRUE(shelves.ended(kStart + 999ms).empty());
  EXPECT_EQ(shelves.ended(kStart + 1s).size(), 1U);
  EXPECT_EQ(shelves.waiting(), 1U);
  EXPECT_EQ(fill(shelves, kStart + 1s + 99ms), 0);
  EXPECT_EQ(fill(shelves, kStart + 1s + 100ms), 1) << "another takes its place";
}

TEST(Shelves, GiveThePlacesOfWhatTheyKeepToNobody) {
  Shelves shelves({.most = 2, .kinds = 2, .recent = 0ms});
  ask(shelves, "b", 9);
  shelves.keep("a", kMake, 1, kStart);
  EXPECT_EQ(next_kind(shelves), "a");
  EXPECT_EQ(next_kind(shelves), "b") << "one place is left to it";
  put(shelves, "a"), put(shelves, "b");
  EXPECT_NE(take(shelves, "b", kStart + 1s), nullptr);
  EXPECT_EQ(fill(shelves, kStart + 2s), 1);
  EXPECT_EQ(next_kind(shelves, kStart + 3s), "none");
  EXPECT_EQ(shelves.waiting(), 2U);
}

TEST(Shelves, HavePlacesOfOthersGivenUpForWhatTheyKeep) {
  Shelves shelves({.most = 2, .memory_bytes = 30});
  const auto later = kStart + 1s;
  ask(shelves, "b", 3);
  EXPECT_EQ(fill(shelves, kStart, 15), 2);
  shelves.keep("a", kMake, 1, kStart);
  EXPECT_EQ(next_kind(shelves, later), "a");
  EXPECT_EQ(shelves.outdated(later).size(), 1U);
  put(shelves, "a", later, 16);
  EXPECT_EQ(shelves.outdated(later).size(), 1U) << "nobody knew what it takes";
  EXPECT_EQ(next_kind(shelves, later + 1s), "a");
  EXPECT_EQ(shelves.outdated(later + 1s).size(), 1U) << "so that it has the memory, too";
  put(shelves, "a", later + 1s, 16);
  EXPECT_EQ(shelves.waiting(), 1U);
}

TEST(Shelves, KeepNoMoreThanMayWait) {
  Shelves shelves({.most = 3});
  shelves.keep("a", kMake, 2, kStart);
  shelves.keep("b", kMake, 2, kStart);
  EXPECT_EQ(fill(shelves), 3);
}

TEST(Shelves, MakeWhatTheyKeepBeforeWhatIsAskedFor) {
  Shelves shelves({.most = 8});
  shelves.keep("a", kMake, 1, kStart);
  ask(shelves, "b", 3, kStart + 1s);
  EXPECT_EQ(next_kind(shelves, kStart + 1s), "a");
}

// But those above what is to be kept go as those of any other kind do.
TEST(Shelves, GiveUpAllButWhatTheyKeep) {
  Shelves shelves({.most = 8, .idle = 1s});
  shelves.keep("a", kMake, 1, kStart);
  ask(shelves, "a", 4);
  EXPECT_EQ(fill(shelves), 5);
  std::size_t given_up = 0;
  for (int second = 1; second < 4; ++second)
    given_up += shelves.outdated(kStart + second * 1s).size();
  EXPECT_EQ(given_up, 4U);
  EXPECT_EQ(shelves.waiting(), 1U);
}

}  // namespace
}  // namespace lazaret::pool::test
