#include "os/tree_watch.hpp"

#include <poll.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/base/scratch.hpp"

namespace lazaret::os {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

const char* name_of(TreeWatch::Event::Kind kind) {
  switch (kind) {
    case TreeWatch::Event::Kind::created: return "created ";
    case TreeWatch::Event::Kind::written: return "written ";
    case TreeWatch::Event::Kind::removed: return "removed ";
    case TreeWatch::Event::Kind::moved: return "moved ";
    case TreeWatch::Event::Kind::missed: break;
  }
  return "missed ";
}

/// A tree that is watched from a moment on.
class WatchedTree : public testing::Test {
 protected:
  [[nodiscard]] fs::path path(const std::string& name) const { return scratch_.at("root") / name; }
  void write(const std::string& name) const { std::ofstream(path(name)) << "text"; }
  void begin() {
    fs::create_directories(path(""));
    auto watch = TreeWatch::begin(scratch_.at("root"));
    ASSERT_TRUE(watch.ok());
    watch_.emplace(std::move(*watch));
  }
  // All that has happened; a directory's name has a '/' behind it.
  std::vector<std::string> told() {
    std::vector<std::string> all;
    for (auto events = watch_->take(); !events.empty(); events = watch_->take()) {
      for (const TreeWatch::Event& event : events) {
        std::string text = name_of(event.kind) + event.path + (event.is_directory ? "/" : "");
        if (!event.target.empty()) text += " " + event.target;
        all.push_back(std::move(text));
      }
    }
    return all;
  }

  test::Scratch scratch_;
  std::optional<TreeWatch> watch_;
};

TEST_F(WatchedTree, TellsWhatBecomesOfFiles) {
  begin();
  EXPECT_THAT(told(), IsEmpty());
  write("a");
  fs::rename(path("a"), path("b"));
  fs::remove(path("b"));
  pollfd entry{watch_->handle(), POLLIN, 0};
  EXPECT_EQ(::poll(&entry, 1, 0), 1);
  EXPECT_THAT(told(), ElementsAre("created a", "written a", "moved a b", "removed b"));
  EXPECT_EQ(::poll(&entry, 1, 0), 0);
}

TEST_F(WatchedTree, TellsOfDirectoriesThatWereThereAndThatCome) {
  fs::create_directories(path("old/deep"));
  begin();
  write("old/deep/a");
  fs::create_directories(path("new/deeper"));
  write("new/deeper/b");
  const auto first = told();
  EXPECT_THAT(first, Contains("written old/deep/a"));
  for (const char* const text : {"created new/", "created new/deeper/", "written new/deeper/b"})
    EXPECT_THAT(first, Contains(text));
  write("new/deeper/c");
  EXPECT_THAT(told(), ElementsAre("created new/deeper/c", "written new/deeper/c"));
}

TEST_F(WatchedTree, KnowsWhereADirectoryHasGone) {
  fs::create_directories(path("a/b"));
  fs::create_directories(path("ab"));  // whose name only begins like the other's
  begin();
  fs::rename(path("a"), path("c"));
  EXPECT_THAT(told(), ElementsAre("moved a/ c"));
  write("c/b/file");
  write("ab/file");
  EXPECT_THAT(told(), ElementsAre("created c/b/file", "written c/b/file", "created ab/file",
                                  "written ab/file"));
}

TEST_F(WatchedTree, SeesWhatLeavesAndWhatComesFromElsewhere) {
  fs::create_directories(path("gone/inner"));
  fs::create_directories(scratch_.at("outside/come"));
  begin();
  fs::rename(path("gone"), scratch_.at("gone"));
  fs::rename(scratch_.at("outside/come"), path("come"));
  EXPECT_THAT(told(), ElementsAre("removed gone/", "created come/"));
  std::ofstream(scratch_.at("gone/inner/file")) << "text";
  EXPECT_THAT(told(), IsEmpty()) << "it is not watched any more";
  write("come/file");
  EXPECT_THAT(told(), ElementsAre("created come/file", "written come/file"));
}

TEST_F(WatchedTree, FollowsNoLink) {
  fs::create_directories(scratch_.at("outside"));
  begin();
  fs::create_directory_symlink(scratch_.at("outside"), path("link"));
  EXPECT_THAT(told(), ElementsAre("created link"));
  std::ofstream(scratch_.at("outside/file")) << "text";
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(WatchedTree, SaysWhatItCannotWatch) {
  begin();
  for (int number = 0; number < 1030; ++number)
    fs::create_directory(path(std::to_string(number)));
  const auto all = told();
  EXPECT_THAT(all, Contains("created 1029/"));
  const auto is_missed = [](const std::string& text) { return text.starts_with("missed "); };
  EXPECT_EQ(std::ranges::count_if(all, is_missed), 1030 - 1023);
  EXPECT_THAT(all, testing::Not(Contains("missed 1022/")));
  EXPECT_THAT(all, Contains("missed 1023/"));
}

TEST_F(WatchedTree, IsBlindToWhatWasTooMuchAlready) {
  for (int number = 0; number < 1023; ++number)
    fs::create_directories(path(std::to_string(number)));
  begin();
  EXPECT_FALSE(watch_->is_blind());
  fs::create_directories(path("one more"));
  begin();
  EXPECT_TRUE(watch_->is_blind());
}

// Names that have changed hands before anybody has read of it.
TEST_F(WatchedTree, FindsDirectoriesUnderTheNamesThatTheyHaveByNow) {
  begin();
  fs::create_directory(path("a"));
  fs::rename(path("a"), path("b"));
  fs::create_directory(path("a"));
  fs::create_directory(path("early"));
  fs::rename(path("early"), path("late"));
  (void)told();
  for (const std::string name : {"a/file", "b/file", "late/file"}) {
    write(name);
    EXPECT_THAT(told(), ElementsAre("created " + name, "written " + name));
  }
}

TEST_F(WatchedTree, TellsNoMoreThanSoMuchOfADirectoryThatComesFull) {
  fs::create_directories(scratch_.at("outside/full"));
  for (int number = 0; number < 3000; ++number)
    std::ofstream(scratch_.at("outside/full/" + std::to_string(number)));
  begin();
  fs::rename(scratch_.at("outside/full"), path("full"));
  const auto all = told();
  EXPECT_LT(all.size(), 4200U);
  EXPECT_EQ(all.back(), "missed full/");
  EXPECT_TRUE(watch_->is_blind()) << "who comes later is told too";
}

// The kernel's own queue has an end (inotify(7), max_queued_events).
TEST_F(WatchedTree, GoesOnAfterTheKernelHasLostSome) {
  begin();
  fs::create_directory(path("first"));
  (void)told();
  for (int number = 0; number < 20000; ++number) write("first/" + std::to_string(number % 10));
  fs::create_directory(path("lost"));
  const auto all = told();
  if (!testing::Value(all, Contains("missed "))) GTEST_SKIP() << "the queue is longer here";
  write("lost/file");
  EXPECT_THAT(told(), Contains("written lost/file"));
}

TEST(TreeWatch, NeedsADirectory) {
  EXPECT_FALSE(TreeWatch::begin("/nowhere/at/all").ok());
  EXPECT_FALSE(TreeWatch::begin("/proc/self/status").ok());
}

}  // namespace
}  // namespace lazaret::os
