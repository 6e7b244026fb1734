#include <fstream>
#include <functional>
#include <map>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.hpp"
#include "unit/runner_program/runner_process.hpp"

namespace lazaret::runner {
namespace {

using test::RunnerProcess;
using test::soon;
using test::Workplace;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

class RecordingSink final : public Sink {
 public:
  void output(Stream stream, Bytes bytes) override {
    (stream == Stream::standard_output ? out : err) += text_of(bytes);
    if (on_output) on_output();
  }
  void value(Bytes bytes) override { value_text += text_of(bytes); }
  void credit(std::uint32_t bytes) override {
    credited += bytes;
    if (on_credit) on_credit(bytes);
  }

  std::string out, err, value_text;
  std::uint64_t credited = 0;
  std::function<void()> on_output;
  std::function<void(std::uint32_t)> on_credit;
};

// A runner that has greeted, and a place for its job.
struct Bench {
  Workplace place;
  RunnerProcess process;
  RecordingSink sink;
  Result<Greeting> greeting = process.client().greet(soon());

  Client& client() { return process.client(); }
  Job job(std::vector<std::string> argv) const {
    return {.argv = std::move(argv), .environment = {"PATH=/usr/bin:/bin", "LANG=C"}, .working_directory = place.path()};
  }
  Status start(const Job& job) { return client().start(job, soon()); }
  Status start_shell(const std::string& script) { return start(job({"sh", "-c", script})); }
  Result<Ending> await(const Call& call = soon()) { return client().await(sink, call); }
  // The ending of a shell script with no input; a failed start ends the test program's patience.
  Exited run_shell(const std::string& script) {
    EXPECT_TRUE(start_shell(script).ok());
    EXPECT_TRUE(client().end_stdin(soon()).ok());
    return exited();
  }
  Exited exited() {
    const auto ending = await();
    EXPECT_TRUE(ending.ok()) << (ending.ok() ? "" : ending.error().message());
    if (!ending.ok() || !std::holds_alternative<Exited>(*ending)) return {Exited::How::exit, 9999, 0, 0};
    return std::get<Exited>(*ending);
  }
  Failed run_to_failure(const Job& job) {
    EXPECT_TRUE(start(job).ok());
    const auto ending = await();
    if (!ending.ok() || !std::holds_alternative<Failed>(*ending)) return {"did not fail", 0};
    return std::get<Failed>(*ending);
  }
};

std::uint64_t resident_kib(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stoull(line.substr(6));
  }
  return 0;
}

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

TEST(Supervisor, CarriesStandardInputToItsEnd) {
  Bench bench;
  ASSERT_TRUE(bench.start(bench.job({"cat"})).ok());
  ASSERT_TRUE(bench.client().send_stdin(bytes_of("input\n"), soon()).ok());
  ASSERT_TRUE(bench.client().end_stdin(soon()).ok());
  EXPECT_EQ(bench.exited().code, 0U);
  EXPECT_EQ(bench.sink.out, "input\n");
  EXPECT_EQ(bench.sink.credited, 6U);
}

TEST(Supervisor, CarriesMoreInputThanAnyBufferByCredit) {
  Bench bench;
  const std::string input(1 << 20, 'i');
  std::size_t sent = 0;
  const auto send = [&](std::uint32_t window) {
    const std::size_t size = std::min<std::size_t>(window, input.size() - sent);
    if (size == 0) return;
    ASSERT_TRUE(bench.client().send_stdin(bytes_of(input).subspan(sent, size), soon()).ok());
    sent += size;
    if (sent == input.size()) ASSERT_TRUE(bench.client().end_stdin(soon()).ok());
  };
  bench.sink.on_credit = send;
  ASSERT_TRUE(bench.start(bench.job({"wc", "-c"})).ok());
  send(kStdinWindow);
  EXPECT_EQ(bench.exited().code, 0U);
  EXPECT_EQ(bench.sink.out, std::to_string(input.size()) + "\n");
}

TEST(Supervisor, TakesInputThatNobodyReadsAndDropsIt) {
  Bench bench;
  ASSERT_TRUE(bench.start_shell("exec 0<&-; printf closed; read line <&3 2>/dev/null; sleep 0.3").ok());
  bench.sink.on_output = [&] {
    for (int index = 0; index < 4; ++index) {
      ASSERT_TRUE(bench.client().send_stdin(bytes_of(std::string(1000, 'x')), soon()).ok());
    }
  };
  EXPECT_EQ(bench.exited().code, 0U);
  EXPECT_EQ(bench.sink.credited, 4000U);
}

TEST(Supervisor, BreaksOffWhenMoreInputComesThanTheWindow) {
  Bench bench;
  ASSERT_TRUE(bench.start(bench.job({"sleep", "30"})).ok());
  // The pipe takes 64 KiB, the window as much again; what is beyond both was never asked for.
  for (int index = 0; index < 4; ++index) {
    (void)bench.client().send_stdin(bytes_of(std::string(kStdinWindow, 'x')), soon()).ok();
  }
  EXPECT_FALSE(bench.await().ok());
  EXPECT_EQ(bench.process.finish(), 1);
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
      "ls /proc/$$/fd | tr '\\n' ' '; umask; grep -E 'Sig(Blk|Ign|Cgt)' /proc/$$/status | grep -vc 0000000000000000; "
      "test \"$(cut -d' ' -f6 /proc/$$/stat)\" = $$ && echo leader; env | sort | grep -v -E '^(PWD|SHLVL|_|OLDPWD)='");
  EXPECT_EQ(exited.code, 0U);
  EXPECT_THAT(bench.sink.out, testing::StartsWith("0 1 2 3 "));
  EXPECT_THAT(bench.sink.out, HasSubstr("0022"));
  EXPECT_THAT(bench.sink.out, HasSubstr("leader\nLANG=C\nPATH=/usr/bin:/bin\n"));
}

TEST(Supervisor, ForwardsSignals) {
  Bench bench;
  ASSERT_TRUE(bench.start_shell("trap 'echo caught; exit 5' TERM; echo ready; while :; do sleep 0.05; done").ok());
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
    const Exited exited = bench.run_shell("ulimit -c 0; kill -" + std::to_string(number) + " $$; sleep 30");
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
  EXPECT_GE(exited.cpu_us, 900'000U);
}

TEST(Supervisor, DoesNotTakeClosedStreamsForTheEnd_P13) {
  Bench bench;
  ASSERT_TRUE(bench.start_shell("exec 1>&- 2>&- 3>&-; sleep 0.3; exit 9").ok());
  const auto begin = Clock::now();
  EXPECT_EQ(bench.exited().code, 9U);
  EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(250));
}

TEST(Supervisor, EndsWhatTheProgramLeftBehindInItsGroup_P03) {
  Bench bench;
  const auto begin = Clock::now();
  EXPECT_EQ(bench.run_shell("sleep 30 & exit 2").code, 2U);
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(10));
}

// Not being init, the runner cannot reach what has left the group; it waits for it, but not for long.
TEST(Supervisor, WaitsABoundedTimeForAGrandchildThatHoldsTheStreams_P13) {
  Bench bench;
  const auto begin = Clock::now();
  EXPECT_EQ(bench.run_shell("setsid sleep 4 & echo last; sleep 0.2; exit 2").code, 2U);
  EXPECT_EQ(bench.sink.out, "last\n");
  EXPECT_LT(Clock::now() - begin, std::chrono::milliseconds(3900));
}

TEST(Supervisor, WaitsABoundedTimeForAGrandchildThatNeverStopsWriting_P13) {
  Bench bench;
  const auto begin = Clock::now();
  EXPECT_EQ(bench.run_shell("setsid timeout 6 yes & sleep 0.2; exit 2").code, 2U);
  EXPECT_LT(Clock::now() - begin, std::chrono::milliseconds(5500));
}

TEST(Supervisor, CarriesTenMegabytesToAHostThatReadsLateWithoutHoldingThem) {
  Bench bench;
  const std::string script = "head -c 10485760 /dev/urandom > data; sha256sum data | cut -c1-64 >&2; cat data";
  ASSERT_TRUE(bench.start_shell(script).ok());
  const std::uint64_t before = resident_kib(bench.process.pid());
  // A slow host: it does not look for a while, and then takes its time with each piece.
  EXPECT_EQ(bench.client().await(bench.sink, Call{}.within(std::chrono::milliseconds(0))).error().code(), Errc::timed_out);
  std::uint64_t most = 0;
  bench.sink.on_output = [&] { most = std::max(most, resident_kib(bench.process.pid())); };
  EXPECT_EQ(bench.exited().code, 0U);
  EXPECT_EQ(bench.sink.out.size(), 10'485'760U);
  EXPECT_EQ(sha256_hex(bench.sink.out) + "\n", bench.sink.err);
  EXPECT_LT(most, before + 2048);
}

TEST(Supervisor, LosesNothingOfAProgramThatEndedWhileTheHostWasSlow) {
  Bench bench;
  // More than the wire holds, so that the program's last bytes wait in its pipe beyond the drain time.
  ASSERT_TRUE(bench.start_shell("head -c 700000 /dev/zero; printf end").ok());
  bool waited = false;
  bench.sink.on_output = [&] {
    if (std::exchange(waited, true)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(2500));  // WHY: being slow is the case
  };
  EXPECT_EQ(bench.exited().code, 0U);
  EXPECT_EQ(bench.sink.out.size(), 700'003U);
  EXPECT_TRUE(bench.sink.out.ends_with("end"));
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
