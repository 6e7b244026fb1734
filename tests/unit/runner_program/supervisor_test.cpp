#include <sys/syscall.h>

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/runner_program/bench.hpp"

namespace lazaret::runner {
namespace {

using test::Bench;
using test::soon;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

TEST(Supervisor, GreetsAndReportsBeforeAnythingElse) {
  Bench bench;
  ASSERT_TRUE(bench.greeting.ok()) << bench.greeting.error().message();
  EXPECT_EQ(bench.greeting->hello.version, kProtocolVersion);
  EXPECT_EQ(bench.greeting->hello.pid, static_cast<std::uint32_t>(bench.process.pid()));
  EXPECT_THAT(bench.greeting->report, HasSubstr("status=Uid:"));
  EXPECT_THAT(bench.greeting->report, HasSubstr("\nprobe.root_write="));
}

TEST(Supervisor, CarriesBothStreamsAndTheValueApart) {
  Bench bench;
  const Exited exited = bench.run_shell("printf out; printf err >&2; printf value >&3; exit 7");
  EXPECT_EQ(exited.how, Exited::How::exit);
  EXPECT_EQ(exited.code, 7U);
  EXPECT_EQ(bench.sink.out, "out");
  EXPECT_EQ(bench.sink.err, "err");
  EXPECT_EQ(bench.sink.value_text, "value");
}

TEST(Supervisor, HasNoSecondJob) {
  Bench bench;
  EXPECT_EQ(bench.run_shell("exit 0").code, 0U);
  ASSERT_TRUE(bench.start_shell("exit 0").ok());
  EXPECT_EQ(bench.await().error().code(), Errc::connection_lost);
  EXPECT_EQ(bench.process.finish(), 1);
}

TEST(Supervisor, HasNoSecondJobAfterOneThatFailedToStart) {
  Bench bench;
  (void)bench.run_to_failure(bench.job({"no-such-program"}));
  ASSERT_TRUE(bench.start_shell("exit 0").ok());
  EXPECT_FALSE(bench.await().ok());
  EXPECT_EQ(bench.process.finish(), 1);
}

TEST(Supervisor, TakesACompileStepBeforeTheJobAndTellsEachEnd) {
  Bench bench;
  Job step = bench.job({"sh", "-c", "cat main.in > made; echo told >&2; exit 3"});
  step.files = {{bench.place.path() + "/main.in", "text"}};
  ASSERT_TRUE(bench.client().compile(step, soon()).ok());
  EXPECT_EQ(bench.exited().code, 3U);
  EXPECT_EQ(bench.sink.err, "told\n");
  EXPECT_EQ(bench.run_shell("cat made; cat; exit 4").code, 4U);
  EXPECT_EQ(bench.sink.out, "text");
}

TEST(Supervisor, GivesACompileStepNoInputAndTheJobAllOfIt) {
  Bench bench;
  ASSERT_TRUE(bench.client().compile(bench.job({"wc", "-c"}), soon()).ok());
  EXPECT_EQ(bench.exited().code, 0U);
  EXPECT_EQ(bench.sink.out, "0\n");
  ASSERT_TRUE(bench.start(bench.job({"wc", "-c"})).ok());
  ASSERT_TRUE(bench.client().send_stdin(bytes_of("four"), soon()).ok());
  ASSERT_TRUE(bench.client().end_stdin(soon()).ok());
  EXPECT_EQ(bench.exited().code, 0U);
  EXPECT_EQ(bench.sink.out, "0\n4\n");
}

TEST(Supervisor, CountsAJobsProcessorTimeWithoutItsCompileStep) {
  Bench bench;
  const char* const busy = "i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done";
  ASSERT_TRUE(bench.client().compile(bench.job({"sh", "-c", busy}), soon()).ok());
  const Exited step = bench.exited();
  EXPECT_LT(bench.run_shell("exit 0").cpu_us, step.cpu_us);
}

TEST(Supervisor, HasNoSecondCompileStep) {
  Bench bench;
  ASSERT_TRUE(bench.client().compile(bench.job({"true"}), soon()).ok());
  EXPECT_EQ(bench.exited().code, 0U);
  ASSERT_TRUE(bench.client().compile(bench.job({"true"}), soon()).ok());
  EXPECT_EQ(bench.await().error().code(), Errc::connection_lost);
  EXPECT_EQ(bench.process.finish(), 1);
}

TEST(Supervisor, HasNoCompileStepAfterTheJob) {
  Bench bench;
  EXPECT_EQ(bench.run_shell("exit 0").code, 0U);
  ASSERT_TRUE(bench.client().compile(bench.job({"true"}), soon()).ok());
  EXPECT_FALSE(bench.await().ok());
  EXPECT_EQ(bench.process.finish(), 1);
}

TEST(Supervisor, HasNoJobWhileTheCompileStepRuns) {
  Bench bench;
  ASSERT_TRUE(bench.client().compile(bench.job({"sleep", "60"}), soon()).ok());
  ASSERT_TRUE(bench.start_shell("exit 0").ok());
  EXPECT_FALSE(bench.await().ok());
  EXPECT_EQ(bench.process.finish(), 1);
}

TEST(Supervisor, EndsWhenTheHostGoesAway) {
  Bench bench;
  bench.process.close_wire();
  EXPECT_EQ(bench.process.finish(), 0);
}

TEST(Supervisor, EndsWhenTheHostBreaksTheProtocol) {
  Bench bench;
  ASSERT_TRUE(bench.process.wire().write(bytes_of("GET / HTTP/1.1\r\n\r\n"), soon()).ok());
  EXPECT_EQ(bench.process.finish(), 1);
}

TEST(Supervisor, NamesAProgramThatIsNotThere) {
  Bench bench;
  const Failed failed = bench.run_to_failure(bench.job({"no-such-program"}));
  EXPECT_EQ(failed.step, "exec");
  EXPECT_EQ(failed.os_error, ENOENT);
}

TEST(Supervisor, NamesAProgramThatCannotBeExecuted) {
  Bench bench;
  Job job = bench.job({"./data"});
  job.files = {{bench.place.path("data"), "no program"}};
  const Failed failed = bench.run_to_failure(job);
  EXPECT_EQ(failed.step, "exec");
  EXPECT_EQ(failed.os_error, EACCES);
}

TEST(Supervisor, NamesADirectoryThatIsNotThere) {
  Bench bench;
  Job job = bench.job({"true"});
  job.working_directory = bench.place.path("nowhere");
  const Failed failed = bench.run_to_failure(job);
  EXPECT_EQ(failed.step, "chdir");
  EXPECT_EQ(failed.os_error, ENOENT);
}

TEST(Supervisor, WritesTheFilesOfAJob) {
  Bench bench;
  Job job = bench.job({"cat", "main.py"});
  job.files = {{bench.place.path("main.py"), "print('\xC3\xA4')\n"}};
  ASSERT_TRUE(bench.start(job).ok());
  EXPECT_EQ(bench.exited().code, 0U);
  EXPECT_EQ(bench.sink.out, "print('\xC3\xA4')\n");
}

TEST(Supervisor, DoesNotOverwriteAFile) {
  Bench bench;
  std::ofstream(bench.place.path("main.py")) << "before";
  Job job = bench.job({"true"});
  job.files = {{bench.place.path("main.py"), "after"}};
  const Failed failed = bench.run_to_failure(job);
  EXPECT_EQ(failed.step, "file");
  EXPECT_EQ(failed.os_error, EEXIST);
}

TEST(Supervisor, DoesNotFollowALinkToWriteAFile) {
  Bench bench;
  std::filesystem::create_symlink(bench.place.path("target"), bench.place.path("main.py"));
  Job job = bench.job({"true"});
  job.files = {{bench.place.path("main.py"), "after"}};
  EXPECT_EQ(bench.run_to_failure(job).step, "file");
  EXPECT_FALSE(std::filesystem::exists(bench.place.path("target")));
}

TEST(Supervisor, GivesTheProgramFourDescriptorsACleanMaskAndASession_P54) {
  Bench bench;
  const Exited exited = bench.run_shell(
      "ls /proc/$$/fd | tr '\\n' ' '; umask; grep -E 'Sig(Blk|Ign|Cgt)' /proc/$$/status | grep -vc "
      "0000000000000000; "
      "test \"$(cut -d' ' -f6 /proc/$$/stat)\" = $$ && echo leader; env | sort | grep -v -E "
      "'^(PWD|SHLVL|_|OLDPWD)='");
  EXPECT_EQ(exited.code, 0U);
  EXPECT_THAT(bench.sink.out, testing::StartsWith("0 1 2 3 "));
  EXPECT_THAT(bench.sink.out, HasSubstr("0022"));
  EXPECT_THAT(bench.sink.out, HasSubstr("leader\nLANG=C\nPATH=/usr/bin:/bin\n"));
}

// Ignores a signal by the system call itself: libraries refuse those of their own threads.
class Ignoring {
 public:
  explicit Ignoring(int signal) : signal_(signal) {
    const Action ignored = {reinterpret_cast<std::uintptr_t>(SIG_IGN), 0, 0, 0};
    EXPECT_EQ(::syscall(SYS_rt_sigaction, signal_, &ignored, &before_, sizeof before_.mask), 0);
  }
  Ignoring(const Ignoring&) = delete;
  Ignoring& operator=(const Ignoring&) = delete;
  ~Ignoring() {
    (void)::syscall(SYS_rt_sigaction, signal_, &before_, nullptr, sizeof before_.mask);
  }

 private:
  struct Action {
    std::uint64_t handler, flags, restorer, mask;
  };
  int signal_;
  Action before_{};
};

// An engine may start the runner with signals ignored, and exec(2) hands that on.
TEST(Supervisor, HandsOnNoSignalThatItWasStartedToIgnore_P54) {
  const Ignoring hang_up(SIGHUP), user(SIGUSR1), child(SIGCHLD), of_threads(33), last(64);
  Bench bench;
#ifdef LAZARET_SANITIZED  // the thread sanitizer takes 33 back
  EXPECT_THAT(bench.greeting->report, testing::ContainsRegex("SigIgn:\t8000000[01]01001201\n"));
#else
  EXPECT_THAT(bench.greeting->report, HasSubstr("status=SigIgn:\t8000000101001201\n"));
#endif
  EXPECT_EQ(bench.run_shell("exec grep -E 'Sig(Blk|Ign)' /proc/self/status").code, 0U);
  EXPECT_EQ(bench.sink.out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

void write_program(const std::string& path, const std::string& text, int mode) {
  std::ofstream(path) << text;
  ASSERT_EQ(::chmod(path.c_str(), static_cast<mode_t>(mode)), 0);
}

TEST(Supervisor, LooksForTheProgramAlongThePathOfTheJob) {
  Bench bench;
  std::filesystem::create_directory(bench.place.path("bin"));
  write_program(bench.place.path("tool"), "#!/bin/sh\necho denied\n", 0644);
  write_program(bench.place.path("bin/tool"), "#!/bin/sh\necho found\n", 0755);
  Job job = bench.job({"tool"});
  job.environment = {"PATH=/nowhere:/dev/null::" + bench.place.path("bin")};
  ASSERT_TRUE(bench.start(job).ok());
  EXPECT_EQ(bench.exited().code, 0U);
  EXPECT_EQ(bench.sink.out, "found\n");
}

TEST(Supervisor, SaysThatAProgramWasDeniedWhenNoOtherWasFound) {
  Bench bench;
  write_program(bench.place.path("tool"), "#!/bin/sh\n", 0644);
  Job job = bench.job({"tool"});
  job.environment = {"PATH=:/nowhere"};
  EXPECT_EQ(bench.run_to_failure(job).os_error, EACCES);
}

TEST(Supervisor, FindsTheSystemsProgramsWithoutAPath) {
  Bench bench;
  Job job = bench.job({"true"});
  job.environment = {};
  ASSERT_TRUE(bench.start(job).ok());
  EXPECT_EQ(bench.exited().code, 0U);
}

TEST(Supervisor, HandsNoFileOfUnknownFormatToAShell) {
  Bench bench;
  write_program(bench.place.path("tool"), "echo surprise\n", 0755);
  const Failed failed = bench.run_to_failure(bench.job({"./tool"}));
  EXPECT_EQ(failed.step, "exec");
  EXPECT_EQ(failed.os_error, ENOEXEC);
}

TEST(Supervisor, NamesAPathThatIsTooLong) {
  Bench bench;
  EXPECT_EQ(bench.run_to_failure(bench.job({std::string(5000, 'x')})).os_error, ENAMETOOLONG);
}

TEST(Supervisor, ForwardsSignals) {
  Bench bench;
  ASSERT_TRUE(
      bench.start_shell("trap 'echo caught; exit 5' TERM; echo ready; while :; do sleep 0.05; done")
          .ok());
  bool sent = false;
  bench.sink.on_output = [&] {
    if (std::exchange(sent, true)) return;
    ASSERT_TRUE(bench.client().signal(SIGTERM, soon()).ok());
  };
  EXPECT_EQ(bench.exited().code, 5U);
  EXPECT_EQ(bench.sink.out, "ready\ncaught\n");
}

TEST(Supervisor, BreaksOffForASignalThatDoesNotExist) {
  for (const std::uint32_t number : {0U, 65U}) {
    SCOPED_TRACE(number);
    Bench bench;
    ASSERT_TRUE(bench.client().signal(number, soon()).ok());
    EXPECT_EQ(bench.process.finish(), 1);
  }
}

TEST(Supervisor, IgnoresASignalWhenNothingRuns) {
  Bench bench;
  ASSERT_TRUE(bench.client().signal(SIGKILL, soon()).ok());
  EXPECT_EQ(bench.run_shell("exit 3").code, 3U);
  ASSERT_TRUE(bench.client().signal(SIGKILL, soon()).ok());
  bench.process.close_wire();
  EXPECT_EQ(bench.process.finish(), 0);
}

TEST(Supervisor, NamesTheSignalThatEndedTheProgram) {
  for (const std::uint32_t number : {1U, 6U, 9U, 11U, 15U, 64U}) {
    SCOPED_TRACE(number);
    Bench bench;
    const Exited exited =
        bench.run_shell("ulimit -c 0; kill -" + std::to_string(number) + " $$; sleep 30");
    EXPECT_EQ(exited.how, Exited::How::signal);
    EXPECT_EQ(exited.code, number);
  }
}

TEST(Supervisor, EndsAProgramThatUsesUpItsProcessorTime) {
  Bench bench;
  Job job = bench.job({"sh", "-c", "ulimit -c 0; while :; do :; done"});
  job.cpu_seconds = 1;
  ASSERT_TRUE(bench.start(job).ok());
  const Exited exited = bench.exited();
  EXPECT_EQ(exited.how, Exited::How::signal);
  EXPECT_EQ(exited.code, static_cast<std::uint32_t>(SIGXCPU));
  EXPECT_GE(exited.cpu_us, 500'000U);
}

TEST(Supervisor, DoesNotTakeClosedStreamsForTheEnd_P13) {
  Bench bench;
  const auto begin = Clock::now();
  ASSERT_TRUE(bench.start_shell("exec 1>&- 2>&- 3>&-; sleep 0.3; exit 9").ok());
  EXPECT_EQ(bench.exited().code, 9U);
  EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(250));
}

TEST(Supervisor, EndsWhatTheProgramLeftBehindInItsGroup_P03) {
  Bench bench;
  const auto begin = Clock::now();
  EXPECT_EQ(bench.run_shell("sleep 30 & exit 2").code, 2U);
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(10));
}

class EveryExitStatus : public testing::TestWithParam<std::uint32_t> {};

TEST_P(EveryExitStatus, ComesBackAsItIs) {
  for (std::uint32_t code = GetParam(); code < GetParam() + 64; ++code) {
    Bench bench;
    const Exited exited = bench.run_shell("exit " + std::to_string(code));
    EXPECT_EQ(exited.how, Exited::How::exit);
    EXPECT_EQ(exited.code, code);
  }
}
INSTANTIATE_TEST_SUITE_P(Supervisor, EveryExitStatus, testing::Values(0U, 64U, 128U, 192U));

}  // namespace
}  // namespace lazaret::runner
