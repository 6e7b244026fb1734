#include "core/watchers.hpp"

#include <gtest/gtest.h>

namespace lazaret::core {
namespace {

using Kind = runner::Event::Kind;

std::vector<FileChange> taken(Watchers::Watcher& watcher) {
  return watcher.wait(std::chrono::steady_clock::now(), {});
}

TEST(Watchers, TellWhoComesLaterThatItHasBegun) {
  Watchers watchers;
  const auto first = watchers.join(".");
  EXPECT_TRUE(taken(*first).empty());
  watchers.tell({Kind::begun, false, "", "", 0});
  watchers.tell({Kind::begun, false, "", "", 0});  // that he was asked again
  const auto second = watchers.join(".");
  EXPECT_EQ(taken(*first).size(), 1U);
  ASSERT_EQ(taken(*second).size(), 1U);
}

TEST(Watchers, TellEachWhatConcernsHim) {
  Watchers watchers;
  const auto watcher = watchers.join("a/b");
  watchers.tell({Kind::created, false, "a/bc", "", 0});
  watchers.tell({Kind::created, true, "a/b", "", 0});
  watchers.tell({Kind::moved, false, "x", "a/b/y", 0});
  watchers.tell({Kind::removed, false, "a", "", 0});
  watchers.tell({Kind::missed, false, "", "", 0});
  const auto changes = taken(*watcher);
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes[0].path, "a/b");
  EXPECT_EQ(changes[1].target, "a/b/y");
  EXPECT_EQ(changes[2].kind, FileChange::Kind::missed);
}

// A box that was taken over may name anything.
TEST(Watchers, PassNoNameOnThatLeadsElsewhere) {
  Watchers watchers;
  const auto watcher = watchers.join(".");
  for (const char* const name : {"../etc/passwd", "/etc/passwd", "a//b", "a/../../b"})
    watchers.tell({Kind::written, false, name, "", 0});
  watchers.tell({Kind::moved, false, "a", "../b", 0});
  const auto changes = taken(*watcher);
  ASSERT_EQ(changes.size(), 5U);
  for (const FileChange& change : changes) {
    EXPECT_EQ(change.kind, FileChange::Kind::missed);
    EXPECT_EQ(change.path + change.target, "");
  }
}

TEST(Watchers, HoldSoManyAndSayThatThereWereMore) {
  Watchers watchers;
  const auto watcher = watchers.join(".");
  for (int number = 0; number < 4097; ++number)
    watchers.tell({Kind::created, false, std::to_string(number), "", 0});
  auto changes = taken(*watcher);
  ASSERT_EQ(changes.size(), 4096U);
  EXPECT_EQ(changes[4094].path, "4094");
  EXPECT_EQ(changes[4095].kind, FileChange::Kind::missed);
  std::string longest = std::string(200, 'n');
  for (int level = 1; level < 20; ++level) longest += "/" + std::string(200, 'n');
  for (int number = 0; number < 1000; ++number)
    watchers.tell({Kind::created, false, longest, "", 0});
  changes = taken(*watcher);
  EXPECT_LT(changes.size(), 300U) << "a MiB of names";
  EXPECT_EQ(changes.back().kind, FileChange::Kind::missed);
  watchers.tell({Kind::created, false, "again", "", 0});
  EXPECT_EQ(taken(*watcher).size(), 1U);
}

TEST(Watchers, KnowWhyThereIsNothingUntilSomebodyAsksAgain) {
  Watchers watchers;
  const auto first = watchers.join(".");
  watchers.tell({Kind::begun, false, "", "", 24});
  EXPECT_EQ(watchers.failure(), 24);
  EXPECT_TRUE(taken(*first).empty());
  const auto second = watchers.join(".");
  EXPECT_FALSE(watchers.failure());
}

}  // namespace
}  // namespace lazaret::core
