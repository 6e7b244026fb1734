#include "journal/owner.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace lazaret::journal {
namespace {

const Owner kHere{"0123456789abcdef", 7, "4711", "b007", "4026.4027", "5eaf", 1000};

// The system's processes: number 7 was started at 4711, number 8 at 5000, and there are no others.
std::optional<std::string> starts(std::uint32_t pid) {
  if (pid == 7) return "4711";
  if (pid == 8) return "5000";
  return std::nullopt;
}

Standing standing(const Owner& owner) { return standing_of(owner, kHere, starts); }

TEST(Standing, IsAliveForAProcessOfItsNumberAndStart_P45) {
  EXPECT_EQ(standing(kHere), Standing::alive);
}

TEST(Standing, IsDeadWithoutAProcessOfItsNumber_P45) {
  Owner owner = kHere;
  owner.pid = 9;
  EXPECT_EQ(standing(owner), Standing::dead);
}

TEST(Standing, IsDeadWhereItsNumberWasGivenAgain_P05) {
  Owner owner = kHere;
  owner.pid = 8;
  EXPECT_EQ(standing(owner), Standing::dead);
}

TEST(Standing, IsDeadSinceTheMachineWasStartedAgain_P45) {
  Owner owner = kHere;
  owner.boot = "b006";
  owner.namespaces = "1.2";
  EXPECT_EQ(standing(owner), Standing::dead);
}

TEST(Standing, IsNotKnownOfAnotherMachine) {
  Owner owner = kHere;
  owner.boot = "b006";
  owner.machine = "0ther";
  EXPECT_EQ(standing(owner), Standing::other_machine);
}

TEST(Standing, IsNotKnownOfAnotherBootWhereMachinesHaveNoName) {
  Owner owner = kHere, here = kHere;
  owner.boot = "b006";
  owner.machine = here.machine = "";
  EXPECT_EQ(standing_of(owner, here, starts), Standing::other_machine);
}

TEST(Standing, IsNotOursToJudgeOfAnotherUser) {
  Owner owner = kHere;
  owner.pid = 9;
  owner.user = 1001;
  EXPECT_EQ(standing(owner), Standing::other_user);
}

TEST(Standing, IsNotKnownOfAnotherPidNamespace) {
  Owner owner = kHere;
  owner.pid = 9;
  owner.namespaces = "4028.4027";
  EXPECT_EQ(standing(owner), Standing::other_namespace);
}

// One that is missing could be anybody's.
TEST(Standing, IsUnknownWhereAnythingIsMissing) {
  for (std::string Owner::*const field : {&Owner::started, &Owner::boot, &Owner::namespaces}) {
    Owner owner = kHere;
    owner.pid = 9;
    owner.*field = "";
    EXPECT_EQ(standing(owner), Standing::unknown);
    EXPECT_EQ(standing_of(kHere, owner, starts), Standing::unknown);
  }
  Owner owner = kHere;
  owner.pid = 0;
  EXPECT_EQ(standing(owner), Standing::unknown);
}

TEST(Standing, HasAReasonUnlessDead) {
  EXPECT_EQ(reason_of(Standing::dead, kHere), "");
  for (const Standing each : {Standing::alive, Standing::other_user, Standing::other_machine,
                              Standing::other_namespace, Standing::unknown})
    EXPECT_NE(reason_of(each, kHere), "");
}

std::string stat(const char* state, const char* threads) {
  return std::string("7 (a ) (b) ") + state + " 1 7 7 0 -1 4 1 2 3 4 5 6 7 8 20 0 " + threads +
         " 0 4711 9 9\n";
}

TEST(StartedIn, IsField22WhateverTheNameHolds) { EXPECT_EQ(started_in(stat("S", "1")), "4711"); }

TEST(StartedIn, IsNothingForAZombie_P06) {
  EXPECT_EQ(started_in(stat("Z", "1")), std::nullopt);
  EXPECT_EQ(started_in(stat("X", "0")), std::nullopt);
}

TEST(StartedIn, IsThatOfAProcessWhoseFirstThreadHasEnded) {
  EXPECT_EQ(started_in(stat("Z", "2")), "4711");
}

TEST(StartedIn, IsNothingForWhatIsNoStat) {
  for (const char* const text : {"", "7", "7 (a)", "7 (a) S 1 2 3"})
    EXPECT_EQ(started_in(text), std::nullopt) << text;
}

TEST(ThisProcess, IsAliveAndHasANewIdEachTime) {
  const Owner owner = this_process();
  EXPECT_EQ(standing_of(owner, this_process()), Standing::alive);
  EXPECT_EQ(owner.id.size(), 16U);
  EXPECT_NE(owner.id, this_process().id);
}

TEST(ThisProcess, IsDeadOnceItHasEnded_P06) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string started = own_start();
    ::_exit(::write(ends[1], started.data(), started.size()) > 0 ? 0 : 1);
  }
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  char text[32] = {};
  ASSERT_GT(::read(ends[0], text, sizeof text - 1), 0);
  Owner owner = this_process();
  owner.pid = static_cast<std::uint32_t>(child);
  owner.started = text;
  EXPECT_EQ(standing_of(owner, this_process()), Standing::dead);  // a zombie still
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(standing_of(owner, this_process()), Standing::dead);
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace lazaret::journal
