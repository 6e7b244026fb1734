#include "journal/presence.hpp"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace lazaret::journal {
namespace {

namespace fs = std::filesystem;

constexpr const char* kId = "0123456789abcdef";
constexpr const char* kOther = "fedcba9876543210";

struct PresenceTest : testing::Test {
  PresenceTest() {
    std::string name = (fs::temp_directory_path() / "presence-XXXXXX").string();
    base = ::mkdtemp(name.data());
    folder = base / "state";
  }
  ~PresenceTest() override { fs::remove_all(base); }

  fs::path base, folder;
  std::optional<Presence> hold(const char* id) const {
    auto held = Presence::hold(folder, id);
    EXPECT_TRUE(held.ok());
    return std::move(held).value();
  }
};

TEST_F(PresenceTest, IsSeenAsLongAsItIsHeld_P45) {
  EXPECT_EQ(presence_of(folder, kId), Standing::other_namespace) << "nothing is known of it";
  auto held = hold(kId);
  EXPECT_EQ(presence_of(folder, kId), Standing::alive);
  EXPECT_EQ(presence_of(folder, kOther), Standing::other_namespace);
  held.reset();
  EXPECT_EQ(presence_of(folder, kId), Standing::dead);
}

TEST_F(PresenceTest, LeavesNothingOfWhoOwesNothing) {
  const auto held = hold(kId);
  held->leave();
  EXPECT_TRUE(fs::is_empty(folder / "owners"));
}

TEST_F(PresenceTest, ForgetsWhoIsGoneAndOwesNothing) {
  const auto living = hold("1111111111111111");
  for (const char* const id : {kId, kOther}) (void)hold(id);
  forget_gone(folder, {kOther});
  EXPECT_EQ(presence_of(folder, kId), Standing::other_namespace);
  EXPECT_EQ(presence_of(folder, kOther), Standing::dead);
  EXPECT_EQ(presence_of(folder, "1111111111111111"), Standing::alive);
}

// It stands on a label that anybody can write.
TEST_F(PresenceTest, IsOfNoOtherFileWhateverAnIdSays) {
  (void)hold(kId);
  for (const std::string id : {"", "../owners/0123456789abcdef", "0123456789abcdeF", "."}) {
    EXPECT_EQ(presence_of(folder, id), Standing::other_namespace) << id;
    EXPECT_FALSE(Presence::hold(folder, id).ok()) << id;
  }
}

}  // namespace
}  // namespace lazaret::journal
