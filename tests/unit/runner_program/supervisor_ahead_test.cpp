#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/runner_program/bench.hpp"

// Interpreters that are started before their program is known.
namespace lazaret::runner {
namespace {

using test::Bench;
using test::soon;
using testing::HasSubstr;

template <class Holds>
bool soon_is(Holds holds) {
  for (int turn = 0; turn < 5000 && !holds(); ++turn) ::usleep(1000);
  return holds();
}

// A shell that does what an interpreter does which waits: says so, and runs what it is told.
constexpr const char* kWaits = "printf here >&3; read -r word <&4; exec 4<&-; eval \"$word\"";

struct Ahead : Bench {
  Job interpreter(const std::string& script = kWaits, const std::string& says = "here") const {
    Job made = job({"sh", "-c", script});
    made.word = says;
    return made;
  }
  Result<std::uint32_t> prepare(const Job& made) { return client().prepare(made, soon()); }
  Status tell(const std::string& word) {
    Job made = job({"sh", "-c", "echo started anew"});
    made.word = word;
    return start(made);
  }
};

TEST(SupervisorAhead, HandsTheJobToTheInterpreterThatWaits) {
  Ahead bench;
  const auto memory_kib = bench.prepare(bench.interpreter());
  ASSERT_TRUE(memory_kib.ok());
  EXPECT_GT(*memory_kib, 100U);
  ASSERT_TRUE(bench.tell("printf out; printf value >&3; cat; exit 7\n").ok());
  ASSERT_TRUE(bench.client().send_stdin(bytes_of(" and in"), soon()).ok());
  ASSERT_TRUE(bench.client().end_stdin(soon()).ok());
  EXPECT_EQ(bench.exited().code, 7U);
  EXPECT_EQ(bench.sink.out, "out and in");
  EXPECT_EQ(bench.sink.value_text, "value");
}

// All of the word comes before the end of the pipe, however long it is.
TEST(SupervisorAhead, HandsOverAWordLargerThanThePipe) {
  Ahead bench;
  ASSERT_TRUE(bench.prepare(bench.interpreter("printf here >&3; wc -c <&4")).ok());
  ASSERT_TRUE(bench.tell(std::string(300'000, 'w')).ok());
  EXPECT_EQ(bench.exited().code, 0U);
  EXPECT_THAT(bench.sink.out, HasSubstr("300000"));
}

TEST(SupervisorAhead, WritesTheFilesOfTheJobBeforeItIsTold) {
  Ahead bench;
  ASSERT_TRUE(bench.prepare(bench.interpreter()).ok());
  Job job = bench.job({"sh"});
  job.word = "cat late\n";
  job.files = {{bench.place.path("late"), "content"}};
  ASSERT_TRUE(bench.start(job).ok());
  EXPECT_EQ(bench.exited().code, 0U);
  EXPECT_EQ(bench.sink.out, "content");
}

TEST(SupervisorAhead, TakesOneThatDoesNotSayThatItWaits) {
  Ahead bench;
  ASSERT_TRUE(bench.prepare(bench.interpreter("read -r word <&4; eval \"$word\"", "")).ok());
  ASSERT_TRUE(bench.tell("exit 3\n").ok());
  EXPECT_EQ(bench.exited().code, 3U);
}

// What it used before it had a program is not the program's.
TEST(SupervisorAhead, CountsTheProgramsProcessorTimeAlone) {
  const std::string burn = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; ";
  Ahead bench;
  ASSERT_TRUE(bench.prepare(bench.interpreter(burn + kWaits)).ok());
  ASSERT_TRUE(bench.tell("exit 0\n").ok());
  const std::uint64_t used = bench.exited().cpu_us;
  Ahead other;
  ASSERT_TRUE(other.prepare(other.interpreter()).ok());
  ASSERT_TRUE(other.tell(burn + "exit 0\n").ok());
  EXPECT_LT(used * 4, other.exited().cpu_us);
}

constexpr const char* kFarewell = "nobody says this by chance";

struct Leaving : Ahead {
  Status tell_farewell(const std::string& word, bool keeps_box = false) {
    Job made = job({"sh"});
    made.word = word;
    made.farewell = kFarewell;
    made.keeps_box = keeps_box;
    return start(made);
  }
};

// The end of the process itself, and of the memory that it has to free, is not waited for.
TEST(SupervisorAhead, TakesAFarewellForTheEndOfAProgramThatWaited) {
  Leaving bench;
  ASSERT_TRUE(bench.prepare(bench.interpreter()).ok());
  const auto begun = std::chrono::steady_clock::now();
  const std::string word =
      std::string("printf out; printf 'value") + kFarewell + "' >&3; exec sleep 9\n";
  ASSERT_TRUE(bench.tell_farewell(word).ok());
  const Exited exited = bench.exited();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
  EXPECT_EQ(exited.how, Exited::How::exit);
  EXPECT_EQ(exited.code, 0U);
  EXPECT_GT(exited.peak_rss_kib, 100U);
  EXPECT_EQ(bench.sink.out, "out");
  EXPECT_EQ(bench.sink.value_text, "value");
}

// What it says may wait a moment for its end, and no longer.
TEST(SupervisorAhead, TellsWhatAProgramSaysThatGoesOn) {
  Leaving bench;
  ASSERT_TRUE(bench.prepare(bench.interpreter()).ok());
  ASSERT_TRUE(bench.tell_farewell("echo one; sleep 0.2; echo two; exec sleep 60\n").ok());
  ASSERT_TRUE(bench.client().end_stdin(soon()).ok());
  const auto ending = bench.await(Call{}.within(std::chrono::seconds(2)));
  ASSERT_FALSE(ending.ok());
  EXPECT_EQ(ending.error().code(), Errc::timed_out);
  EXPECT_EQ(bench.sink.out, "one\ntwo\n");
}

// The frames that come with the first that comes at all, when the job goes in one piece, too.
std::vector<FrameType> first_news_of(Leaving& bench, const std::string& word) {
  Job made = bench.job({"sh"});
  made.word = word;
  made.farewell = kFarewell;
  std::string said;
  said += text_of(encode_frame(FrameType::job, encode(made)));
  said += text_of(encode_frame(FrameType::stdin_end, {}));
  EXPECT_TRUE(bench.process.wire().write(bytes_of(said), soon()).ok());
  FrameReader reader(Direction::to_host);
  const auto count = bench.process.wire().read(reader.space(), soon());
  EXPECT_TRUE(count.ok());
  reader.commit(count.ok() ? *count : 0);
  std::vector<FrameType> types;
  for (auto frame = reader.next(); frame.ok() && *frame; frame = reader.next())
    types.push_back((*frame)->type);
  return types;
}

// Unless it takes longer than the moment that may be waited for, as now and then on a busy machine.
TEST(SupervisorAhead, TellsOfAStartTogetherWithWhatIsSaidAtOnce) {
  int together = 0;
  for (int time = 0; time < 20; ++time) {
    Leaving bench;
    ASSERT_TRUE(bench.prepare(bench.interpreter()).ok());
    const auto types = first_news_of(bench, "printf out; exec sleep 9\n");
    together += std::ranges::count(types, FrameType::stdout_data) > 0 ? 1 : 0;
  }
  EXPECT_GE(together, 8);
}

TEST(SupervisorAhead, KillsAllWhereTheOneThatLeavesIsNotAlone) {
  Leaving bench;
  ASSERT_TRUE(bench.prepare(bench.interpreter()).ok());
  const std::string word =
      std::string("sleep 60 & echo $!; printf '") + kFarewell + "' >&3; exec sleep 9\n";
  ASSERT_TRUE(bench.tell_farewell(word).ok());
  EXPECT_EQ(bench.exited().code, 0U);
  const auto left = static_cast<pid_t>(std::stol(bench.sink.out));
  EXPECT_TRUE(soon_is([left] { return ::kill(left, 0) != 0; }));
}

TEST(SupervisorAhead, KillsTheOneThatTakesItsLeaveAndGoesOn) {
  Leaving bench;
  ASSERT_TRUE(bench.prepare(bench.interpreter()).ok());
  const std::string word = std::string("echo $$; printf '") + kFarewell + "' >&3; exec sleep 60\n";
  ASSERT_TRUE(bench.tell_farewell(word).ok());
  EXPECT_EQ(bench.exited().code, 0U);
  const auto left = static_cast<pid_t>(std::stol(bench.sink.out));
  EXPECT_TRUE(soon_is([left] { return ::kill(left, 0) != 0; }));
}

// What it has waited for is told of nobody who is alive (getrusage(2), RUSAGE_CHILDREN).
TEST(SupervisorAhead, CountsWhatTheOneThatLeavesHasWaitedFor) {
  const std::string burn = "(i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done); ";
  const std::string leave = std::string("printf '") + kFarewell + "' >&3; exec sleep 9\n";
  std::uint64_t used[2] = {};
  for (const bool burns : {false, true}) {
    Leaving bench;
    ASSERT_TRUE(bench.prepare(bench.interpreter()).ok());
    ASSERT_TRUE(bench.tell_farewell((burns ? burn : "") + leave).ok());
    const Exited exited = bench.exited();
    EXPECT_EQ(exited.how, Exited::How::exit);
    EXPECT_EQ(exited.code, 0U);
    used[burns ? 1 : 0] = exited.cpu_us;
  }
  EXPECT_LT(used[0] * 4, used[1]);
}

// The peak of one that is alive is that of the program that it executed last (proc(5), VmHWM).
TEST(SupervisorAhead, CountsTheMemoryOfTheOneThatLeavesAsAnotherProgram) {
  Leaving bench;
  ASSERT_TRUE(bench.prepare(bench.interpreter()).ok());
  const std::string word =
      "x=0123456789; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do x=$x$x; done; "
      "exec sh -c \"printf '" +
      std::string(kFarewell) + "' >&3; exec sleep 9\"\n";
  ASSERT_TRUE(bench.tell_farewell(word).ok());
  const Exited exited = bench.exited();
  EXPECT_EQ(exited.how, Exited::How::exit);
  EXPECT_EQ(exited.code, 0U);
  EXPECT_GT(exited.peak_rss_kib, 10'000U);
}

TEST(SupervisorAhead, TakesTheOneThatLeavesAtNoWordOfItsNameForItsMemory) {
  Leaving bench;
  ASSERT_TRUE(bench.prepare(bench.interpreter()).ok());
  const std::string word =
      std::string("printf 'VmHWM: 9999999' >/proc/$$/comm; echo $$; printf '") + kFarewell +
      "' >&3; sleep 9\n";
  ASSERT_TRUE(bench.tell_farewell(word).ok());
  const std::uint64_t peak = bench.exited().peak_rss_kib;
  EXPECT_GT(peak, 100U);
  EXPECT_LT(peak, 999'999U);
  const auto left = static_cast<pid_t>(std::stol(bench.sink.out));
  EXPECT_TRUE(soon_is([left] { return ::kill(left, 0) != 0; }));
}

TEST(SupervisorAhead, HearsAFarewellOfNobodyElse) {
  const std::string farewell = std::string("printf '") + kFarewell + "' >&3; ";
  Leaving started;  // anew: nothing has waited
  Job job = started.job({"sh", "-c", farewell + "exit 7"});
  job.farewell = kFarewell;
  ASSERT_TRUE(started.start(job).ok());
  EXPECT_EQ(started.exited().code, 7U);
  EXPECT_EQ(started.sink.value_text, kFarewell);
  Leaving kept;  // whose box is to take another one
  ASSERT_TRUE(kept.prepare(kept.interpreter()).ok());
  ASSERT_TRUE(kept.tell_farewell(farewell + "exit 7\n", true).ok());
  EXPECT_EQ(kept.exited().code, 7U);
  Leaving going_on;  // after another word
  ASSERT_TRUE(going_on.prepare(going_on.interpreter()).ok());
  ASSERT_TRUE(going_on.tell_farewell(farewell.substr(0, 12) + "' >&3; exit 7\n").ok());
  EXPECT_EQ(going_on.exited().code, 7U);
}

TEST(SupervisorAhead, EndsWithAnInterpreterThatEndsWhileItWaits) {
  Ahead bench;
  ASSERT_TRUE(bench.prepare(bench.interpreter("printf here >&3; sleep 0.1")).ok());
  EXPECT_EQ(bench.process.finish(), 0);
}

TEST(SupervisorAhead, EndsWithAnInterpreterThatNeverCameToWait) {
  Ahead bench;
  EXPECT_EQ(bench.prepare(bench.interpreter("exit 1")).error().code(), Errc::connection_lost);
  EXPECT_EQ(bench.process.finish(), 1);
}

TEST(SupervisorAhead, EndsWhereTheInterpreterSaysSomethingElse) {
  Ahead bench;
  EXPECT_FALSE(bench.prepare(bench.interpreter("printf there >&3; sleep 9")).ok());
  EXPECT_EQ(bench.process.finish(), 1);
}

TEST(SupervisorAhead, StartsTheJobAnewWhereTheInterpreterCouldNotBeStarted) {
  Ahead bench;
  const auto none = bench.prepare(bench.job({"no-such-program"}));
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code(), Errc::start_failed);
  EXPECT_EQ(none.error().os_error(), ENOENT);
  ASSERT_TRUE(bench.tell("exit 3\n").ok());
  EXPECT_EQ(bench.exited().code, 0U);
  EXPECT_EQ(bench.sink.out, "started anew\n");
}

TEST(SupervisorAhead, StartsOneInterpreterAndNoneAfterAJob) {
  for (const bool is_job : {false, true}) {
    Ahead bench;
    ASSERT_TRUE(is_job ? bench.start_shell("cat").ok() : bench.prepare(bench.interpreter()).ok());
    (void)bench.prepare(bench.interpreter()).ok();
    EXPECT_EQ(bench.process.finish(), 1);
  }
}

// A host that mixes languages up is no reason to start something beside what waits.
TEST(SupervisorAhead, RefusesAJobWithoutAWordForTheOneThatWaits) {
  Ahead bench;
  ASSERT_TRUE(bench.prepare(bench.interpreter()).ok());
  ASSERT_TRUE(bench.start_shell("exit 0").ok());
  EXPECT_EQ(bench.await().error().code(), Errc::connection_lost);
  EXPECT_EQ(bench.process.finish(), 1);
}

TEST(SupervisorAhead, TakesTheInterpreterWithItWhenTheHostGoesAway) {
  Ahead bench;
  ASSERT_TRUE(bench.prepare(bench.interpreter("printf here >&3; read -r word <&4")).ok());
  bench.process.close_wire();
  EXPECT_EQ(bench.process.finish(), 0);
}

}  // namespace
}  // namespace lazaret::runner
