#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/staging_row.hpp"
#include "integration/support.hpp"
#include "os/private_file.hpp"

namespace lazaret::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// What was being made of packages, by who held it as long as he lived.
TEST(KilledInstaller, LeavesADirectoryThatIsCleared_P45) {
  const Folder cache;
  const fs::path store = cache.path() + "/lazaret/packages";
  const fs::path dead = store / ".making-dead", living = store / ".making-living";
  for (const fs::path& making : {dead, living}) fs::create_directories(making);
  fs::permissions(store, fs::perms::owner_all);
  std::ofstream(dead / "held") << "";
  const auto held = os::make_held_file(living / "held");
  ASSERT_TRUE(held.ok()) << held.error().message();
  const auto gc = [&cache](std::vector<std::string> more) {
    more.insert(more.begin(), {"gc", "--json"});
    return lazaret(more, {.argv = {}, .environment = {{"XDG_CACHE_HOME", cache.path()}}}).out;
  };
  EXPECT_THAT(gc({"--dry-run"}), HasSubstr(dead.string()));
  EXPECT_TRUE(fs::exists(dead));
  EXPECT_THAT(gc({}), HasSubstr(dead.string()));
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(living));
}

// Where it lies is told by the journal alone: whoever clears keeps packages in another place.
TEST(KilledInstaller, LeavesARowThatSaysWhereItsDirectoryIs_P45) {
  const Folder state, cache, elsewhere;
  fs::permissions(elsewhere.path(), fs::perms::owner_all);
  const fs::path dead = fs::path(elsewhere.path()) / ".making-dead";
  const pid_t child = ::fork();
  if (child == 0) {
    const backend::StagingRow row(fs::path(state.path()) / "lazaret", dead);
    fs::create_directory(dead);
    const auto held = os::make_held_file(dead / "held");
    ::kill(::getpid(), SIGKILL);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ASSERT_TRUE(fs::exists(dead / "held"));
  const auto gc = [&] {
    return lazaret({"gc", "--json"}, {.argv = {},
                                      .environment = {{"XDG_CACHE_HOME", cache.path()},
                                                      {"XDG_STATE_HOME", state.path()}}});
  };
  // Who could write there may have put another in its place.
  fs::permissions(elsewhere.path(), fs::perms::others_all, fs::perm_options::add);
  EXPECT_EQ(Json::parse(gc().out)["findings"][0]["fate"], "left");
  EXPECT_TRUE(fs::exists(dead));
  fs::permissions(elsewhere.path(), fs::perms::owner_all);
  fs::remove(dead / "held");  // as if he had died before he held it
  EXPECT_EQ(Json::parse(gc().out)["findings"][0]["fate"], "removed");
  EXPECT_FALSE(fs::exists(dead));
  const backend::Leases leases(fs::path(state.path()) / "lazaret", "", journal::this_process());
  EXPECT_THAT(leases.all(), testing::IsEmpty());
}

}  // namespace
}  // namespace lazaret::test
