#include "backend/docker/engine_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lazaret::backend::docker {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

engine::system::Info good() {
  engine::system::Info info;
  info.operating_system = "Debian";
  info.cgroup_version = "2";
  info.cgroup_driver = "systemd";
  info.memory_limit = info.swap_limit = info.pids_limit = info.cpu_cfs_quota = true;
  info.seccomp = true;
  info.seccomp_profile = "builtin";
  return info;
}

HostFact fact(const engine::system::Info& info, const std::string& name) {
  for (HostFact& one : facts_of(info)) {
    if (one.name == name) return one;
  }
  return {};
}

TEST(EngineFacts, MissNothingOnAnEngineThatHasAll) {
  for (const HostFact& one : facts_of(good())) {
    EXPECT_EQ(one.presence, Presence::there) << one.name;
    EXPECT_EQ(one.fix, "") << one.name;
    EXPECT_NE(one.note, "") << one.name;
  }
  EXPECT_EQ(fact(good(), "Cgroups").note, "version 2, driver systemd");
  EXPECT_EQ(fact(good(), "Engine's user").note, "root");
}

TEST(EngineFacts, NameEachLimitThatIsMissingAndHowToGetIt) {
  engine::system::Info info = good();
  info.swap_limit = info.pids_limit = false;
  const HostFact limits = fact(info, "Limits");
  EXPECT_EQ(limits.presence, Presence::missing);
  EXPECT_EQ(limits.note, "none of swap, tasks");
  EXPECT_THAT(limits.fix, HasSubstr("swapaccount=1"));
  info.rootless = true;
  EXPECT_THAT(fact(info, "Limits").fix, AllOf(HasSubstr("Delegate"), Not(HasSubstr("boot"))));
}

TEST(EngineFacts, SayWhatAnEngineDoesNotSay) {
  for (const char* const name : {"Cgroups", "Limits", "Seccomp"}) {
    EXPECT_EQ(fact({}, name).presence, Presence::missing) << name;
    EXPECT_NE(fact({}, name).fix, "") << name;
  }
}

// Everything from an engine is hostile: it is shown on a terminal.
TEST(EngineFacts, ShowAnEnginesWordsOnOneLineAndWithoutControls) {
  engine::system::Info info = good();
  info.operating_system = "a\x1b[2Jb\nc";
  info.warnings = {"no\r\nswap"};
  for (const HostFact& one : facts_of(info))
    EXPECT_EQ(one.note.find_first_of("\x1b\r\n"), std::string::npos) << one.name;
  EXPECT_EQ(fact(info, "Engine's own warning").note, "no swap");
}

TEST(EngineFacts, TakeAFewWarningsAndNoEmptyOne) {
  engine::system::Info info = good();
  const std::size_t usual = facts_of(info).size();
  info.warnings = {"", "one", ""};
  EXPECT_EQ(facts_of(info).size(), usual + 1);
  info.warnings.assign(1'000'000, "more");
  EXPECT_EQ(facts_of(info).size(), 20U);
}

}  // namespace
}  // namespace lazaret::backend::docker
