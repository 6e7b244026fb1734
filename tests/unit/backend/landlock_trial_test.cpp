#include "backend/linux/landlock_trial.hpp"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <gtest/gtest.h>

#include "backend/linux/throwaway.hpp"

// What is tried in children of its own, whatever this process does about those.
namespace lazaret::backend::native {
namespace {

constexpr std::uint32_t kScoped = 6;

TEST(LandlockTrial, SeesWhatTheKernelHolds) {
  const LandlockTrial trial = try_landlock();
  if (trial.version == 0) GTEST_SKIP() << "this kernel has no Landlock";
  EXPECT_TRUE(trial.was_tried);
  EXPECT_TRUE(trial.files);
  EXPECT_EQ(trial.sockets, trial.version >= kScoped);
  EXPECT_EQ(trial.signals, trial.version >= kScoped);
}

TEST(Throwaway, TellsHowItEnded) {
  EXPECT_EQ(in_throwaway(0, [] { return 0; }), 0);
  EXPECT_EQ(in_throwaway(0, [] { return 255; }), 255);
  const auto killed =
      in_throwaway(0, [] { return static_cast<int>(::syscall(SYS_kill, ::getpid(), SIGKILL)); });
  EXPECT_FALSE(killed);
  EXPECT_FALSE(in_throwaway(CLONE_THREAD, [] { return 0; }));  // which takes more (clone(2))
}

TEST(Throwaway, TellsItWhereNobodyIsToldOfChildren) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::signal(SIGCHLD, SIG_IGN);
    ::_exit(in_throwaway(0, [] { return 7; }).value_or(-1));
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

}  // namespace
}  // namespace lazaret::backend::native
