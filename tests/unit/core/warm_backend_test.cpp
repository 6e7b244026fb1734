#include "core/warm_backend.hpp"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/guarded.hpp"
#include "core/orchestrator.hpp"
#include "unit/core/fake_backend.hpp"
#include "unit/core/stage.hpp"

namespace lazaret::core {
namespace {

using test::FakeBackend;
using test::FakeWire;
using test::FrameType;
using test::Heard;
using test::Script;

// A warm backend over boxes that are made of a script, and the runs of one request in it.
struct Warm {
  std::shared_ptr<Script> script = std::make_shared<Script>();
  std::shared_ptr<WarmBackend> backend =
      std::make_shared<WarmBackend>(std::make_shared<FakeBackend>(script), pool::Bounds{.most = 2});
  ExecutionRequest request;

  explicit Warm(FakeWire::Runner runner) { script->runner = std::move(runner); }
  ExecutionResult run() { return core::run(*backend, request, test::spec_of()).result; }
  // Until what was retired has gone; the tests' time limit ends what never does.
  void settle(int destroyed) const {
    while (script->destroyed < destroyed) std::this_thread::yield();
  }
};

TEST(WarmBackend, AnswersBeforeTheBoxIsGoneAndSeesToItsEnd) {
  Warm warm(test::exits_with(0));
  warm.script->counters = backend::Autopsy{};
  const ExecutionResult result = warm.run();
  EXPECT_EQ(result.meta.cause, Cause::exited);
  EXPECT_EQ(result.meta.usage.source, "runner");
  EXPECT_EQ(result.meta.usage.cpu_ms, 1U);
  EXPECT_EQ(result.meta.usage.peak_memory_bytes, 10240U);
  EXPECT_EQ(warm.script->examined, 0);
  warm.settle(1);
  EXPECT_EQ(warm.script->disposed, 1);
}

TEST(WarmBackend, BelievesTheCountersFirst_P15_P16) {
  Warm warm(test::on_job([](FakeWire& wire) { test::say_signal(wire, 9); }));
  backend::Autopsy seen;
  seen.usage = {.cpu_ms = 12,
                .peak_memory_bytes = 4096,
                .peak_pids = 2,
                .memory_kills = 1,
                .source = "cgroup"};
  warm.script->counters = seen;
  const ExecutionResult result = warm.run();
  EXPECT_EQ(result.meta.cause, Cause::memory_limit);
  EXPECT_EQ(result.meta.usage.source, "cgroup");
}

TEST(WarmBackend, WaitsForTheEndWhereOnlyThatCanTell) {
  Warm warm(test::exits_with(0));
  EXPECT_EQ(warm.run().meta.cause, Cause::exited);
  EXPECT_EQ(warm.script->examined, 1);
}

TEST(WarmBackend, WaitsForTheEndOfABoxThatWasLost) {
  Warm warm(test::on_job([](FakeWire& wire) { wire.hang_up(); }));
  warm.script->counters = backend::Autopsy{};
  EXPECT_EQ(warm.run().meta.cause, Cause::infrastructure_lost);
  EXPECT_EQ(warm.script->examined, 1);
  EXPECT_EQ(warm.script->jobs, 1) << "it may have begun, and nothing is run twice";
}

// Of each of the first boxes the wire fails before it has taken all of the job.
FakeWire::Runner fails_first(int boxes, Errc code) {
  return [left = std::make_shared<int>(boxes), code](FakeWire& wire, const Heard& frame) {
    if (frame.type != FrameType::job) return;
    if ((*left)-- > 0) return wire.refuse_writes(code);
    test::say_exit(wire, 0);
  };
}

TEST(WarmBackend, RunsInAnotherBoxWhatADyingOneDidNotTake) {
  Warm warm(fails_first(1, Errc::connection_lost));
  EXPECT_EQ(warm.run().meta.cause, Cause::exited);
  EXPECT_EQ(warm.script->jobs, 2);
}

TEST(WarmBackend, TriesNoThirdBox) {
  Warm warm(fails_first(2, Errc::connection_lost));
  EXPECT_EQ(warm.run().meta.cause, Cause::infrastructure_lost);
  EXPECT_EQ(warm.script->jobs, 2);
}

TEST(WarmBackend, TriesNoOtherBoxAfterTheTimeOrAStop) {
  for (const Errc code : {Errc::timed_out, Errc::cancelled}) {
    Warm warm(fails_first(1, code));
    EXPECT_NE(warm.run().meta.cause, Cause::exited);
    EXPECT_EQ(warm.script->jobs, 1);
  }
}

TEST(WarmBackend, WarnsInALaterRunOfABoxThatCouldNotBeRemoved) {
  Warm warm(test::exits_with(0));
  warm.script->counters = backend::Autopsy{};
  warm.script->dispose_fails = true;
  EXPECT_TRUE(warm.run().meta.warnings.empty());
  warm.settle(1);
  EXPECT_THAT(warm.run().meta.warnings,
              testing::ElementsAre("a box could not be removed: it will not go"));
}

TEST(WarmBackend, TellsWhoeverListensInsteadOfALaterRun) {
  Guarded<std::vector<std::string>> told;
  Warm warm(test::exits_with(0));
  warm.backend->tell([&told](const std::string& what) {
    told.with([&what](auto& all) { all.push_back(what); });
  });
  warm.script->counters = backend::Autopsy{};
  warm.script->dispose_fails = true;
  EXPECT_TRUE(warm.run().meta.warnings.empty());
  warm.settle(1);
  EXPECT_TRUE(warm.run().meta.warnings.empty());
  EXPECT_EQ(told.with([](const auto& all) { return all.front(); }),
            "a box could not be removed: it will not go");
}

TEST(WarmBackend, RefusesAsTheBackendInsideDoes) {
  const auto script = std::make_shared<Script>();
  const auto inside = std::make_shared<FakeBackend>(script);
  inside->refusal = Error(Errc::enforcement_mismatch, "not here");
  WarmBackend warm(inside, {});
  for (int time = 0; time < 3; ++time) {
    const auto box = warm.open(test::spec_of(), Call{});
    ASSERT_FALSE(box.ok());
    EXPECT_EQ(box.error().code(), Errc::enforcement_mismatch);
  }
}

// Even if a box were made for somebody else, by whatever mistake.
TEST(WarmBackend, HandsOverNoBoxThatLacksWhatIsRequired) {
  const auto script = std::make_shared<Script>();
  WarmBackend warm(std::make_shared<FakeBackend>(script), {});
  policy::Spec spec = test::spec_of();
  spec.required = {Control::memory};
  script->evidence = {{Control::memory, EvidenceStatus::enforced, "", "", ""}};
  EXPECT_TRUE(warm.open(spec, Call{}).ok());
  script->evidence.front().status = EvidenceStatus::partial;
  const auto box = warm.open(spec, Call{});
  ASSERT_FALSE(box.ok());
  EXPECT_EQ(box.error().code(), Errc::enforcement_mismatch);
}

TEST(WarmBackend, KeepsOfAProgramOnlyItsName) {
  const auto script = std::make_shared<Script>();
  const auto inside = std::make_shared<FakeBackend>(script);
  WarmBackend warm(inside, {.most = 1});
  policy::Spec spec = test::spec_of();
  for (int time = 0; time < 2; ++time) (void)warm.open(spec, Call{});
  while (warm.counts().waiting < 1) std::this_thread::yield();
  // What takes that one opens nothing itself: the next box is the pool's for certain.
  (void)warm.open(spec, Call{});
  while (warm.counts().made < 2) std::this_thread::yield();
  inside->last_program.with([](const policy::Program& program) {
    EXPECT_THAT(program.argv, testing::ElementsAre("python3"));
    EXPECT_TRUE(program.files.empty());
  });
}

// A box of a kind that has an interpreter, made ahead by a runner that answers so.
struct AheadBox {
  std::shared_ptr<Script> script = std::make_shared<Script>();
  policy::Spec spec = test::spec_of();
  pool::Counts counts;
  std::vector<pool::Stand> stands;
  std::vector<Heard> heard;

  explicit AheadBox(
      FakeWire::Runner runner, std::uint64_t memory_bytes = 512ULL << 20,
      const std::function<void(policy::Spec&)>& change = [](auto&) {}) {
    script->resting_bytes = 4096;
    script->runner = [this, runner = std::move(runner)](FakeWire& wire, const Heard& frame) {
      prepares.with([&frame](auto& all) { all.push_back(frame); });
      runner(wire, frame);
    };
    spec.limits.memory_bytes = memory_bytes;
    spec.program.ahead = {{"python3", "-c", "wait"}, {"AHEAD=1"}, "waiting", "secret word"};
    change(spec);
    WarmBackend warm(std::make_shared<FakeBackend>(script), {.most = 1});
    for (int time = 0; time < 2; ++time) (void)warm.open(spec, Call{});
    while (counts.waiting + counts.failed == 0) {
      counts = warm.counts();
      std::this_thread::yield();
    }
    stands = warm.stands();
    heard = prepares.with([](const auto& all) { return all; });
  }

 private:
  Guarded<std::vector<Heard>> prepares;
};

FakeWire::Runner answers_prepare(FrameType type, std::vector<std::byte> payload = {}) {
  return [type, payload = std::move(payload)](FakeWire& wire, const Heard& frame) {
    if (frame.type == FrameType::prepare) wire.say(type, payload);
  };
}

TEST(WarmBackend, HasTheInterpreterStartedAheadUnderTheSameConditions) {
  const AheadBox made(answers_prepare(FrameType::prepared, runner::encode(2048U)));
  EXPECT_EQ(made.counts.waiting, 1U);
  ASSERT_EQ(made.stands.size(), 1U);
  EXPECT_EQ(made.stands.front().memory_bytes, 2048U * 1024 + 4096);
  EXPECT_EQ(made.stands.front().kind, shown(kind_of_box(made.spec)));
  ASSERT_EQ(made.heard.size(), 1U);
  const auto told = runner::decode_job(bytes_of(made.heard.front().payload));
  ASSERT_TRUE(told.ok());
  EXPECT_THAT(told->argv, testing::ElementsAre("python3", "-c", "wait"));
  EXPECT_THAT(told->environment, testing::ElementsAre("LANG=C.UTF-8", "PATH=/bin", "AHEAD=1"));
  EXPECT_EQ(told->word, "waiting");
  EXPECT_TRUE(told->files.empty());
}

// What a box used before it was anybody's stands on no user's account.
TEST(WarmBackend, CountsTheProcessorTimeOfItsUserAlone) {
  const auto script = std::make_shared<Script>();
  script->counters = backend::Autopsy{};
  script->counters->usage.cpu_ms = 40;
  WarmBackend warm(std::make_shared<FakeBackend>(script), {.most = 1});
  for (int time = 0; time < 2; ++time) (void)warm.open(test::spec_of(), Call{});
  while (warm.counts().waiting == 0) std::this_thread::yield();
  const auto box = warm.open(test::spec_of(), Call{});
  ASSERT_TRUE(box.ok());
  EXPECT_EQ((*box)->counters()->usage.cpu_ms, 0U);
}

TEST(WarmBackend, CountsWhatABoxTakesInWhichNoInterpreterWaits) {
  const auto script = std::make_shared<Script>();
  script->resting_bytes = 4096;
  WarmBackend warm(std::make_shared<FakeBackend>(script), {.most = 1});
  for (int time = 0; time < 2; ++time) (void)warm.open(test::spec_of(), Call{});
  while (warm.counts().waiting == 0) std::this_thread::yield();
  EXPECT_EQ(warm.stands().front().memory_bytes, 4096U);
  const auto box = warm.open(test::spec_of(), Call{});
  ASSERT_TRUE(box.ok());
  EXPECT_TRUE((*box)->is_made_ahead());
  EXPECT_FALSE((*box)->has_interpreter());
}

// A backend with boxes that wait, of which it is asked whether they are still current.
struct Asked {
  std::shared_ptr<Script> script = std::make_shared<Script>();
  WarmBackend warm{std::make_shared<FakeBackend>(script), {.most = 4}};

  Asked() {
    do (void)warm.open(test::spec_of(), Call{});
    while (warm.stands().front().wanted < 4);
    while (warm.counts().waiting < 4) std::this_thread::yield();
  }
};

// All looks together have one bound: an engine that is slow each time costs a caller it once.
TEST(WarmBackend, LooksAtItsBoxesWithinOneBound) {
  Asked asked;
  std::vector<std::chrono::milliseconds> left;
  asked.script->currency = [&left](const Call& call) {
    left.push_back(call.deadline.left().value_or(std::chrono::hours(1)));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return left.size() < 3 ? backend::Currency::outdated : backend::Currency::current;
  };
  EXPECT_TRUE(asked.warm.open(test::spec_of(), Call{}).ok());
  ASSERT_EQ(left.size(), 3U);
  EXPECT_LE(left.front(), std::chrono::seconds(2));
  EXPECT_LE(left.back(), left.front() - std::chrono::milliseconds(39));
}

TEST(WarmBackend, MakesABoxWhereItCannotTellOfThoseThatWaitAndKeepsThem) {
  Asked asked;
  asked.script->currency = [](const Call&) { return backend::Currency::unknown; };
  const auto before = asked.warm.counts();
  const auto box = asked.warm.open(test::spec_of(), Call{});
  ASSERT_TRUE(box.ok());
  EXPECT_FALSE((*box)->is_made_ahead());
  EXPECT_EQ(asked.warm.counts().waiting, 4U);
  EXPECT_EQ(asked.warm.counts().missed, before.missed) << "no more of them would have helped";
}

TEST(WarmBackend, HearsItsCallerWhileItLooks) {
  Asked asked;
  std::stop_source caller;
  asked.script->currency = [&caller](const Call& call) {
    caller.request_stop();
    return call.check().ok() ? backend::Currency::current : backend::Currency::unknown;
  };
  const int opened = asked.script->opened;
  const auto box = asked.warm.open(test::spec_of(), {Deadline::never(), caller.get_token()});
  ASSERT_FALSE(box.ok());
  EXPECT_EQ(box.error().code(), Errc::cancelled);
  EXPECT_EQ(asked.script->opened, opened);
  EXPECT_EQ(asked.warm.counts().waiting, 4U);
}

TEST(WarmBackend, SaysWhichBoxesWereMadeAhead) {
  Warm warm(test::exits_with(0));
  for (int time = 0; time < 2; ++time) EXPECT_FALSE(warm.run().meta.made_ahead);
  while (warm.backend->counts().waiting == 0) std::this_thread::yield();
  EXPECT_TRUE(warm.run().meta.made_ahead);
}

// Whoever is handed it hears from his own job what is wrong.
TEST(WarmBackend, KeepsABoxWhoseInterpreterCouldNotBeStarted) {
  const AheadBox made(
      answers_prepare(FrameType::failed, runner::encode(runner::Failed{"exec", 2})));
  EXPECT_EQ(made.counts.waiting, 1U);
}

TEST(WarmBackend, KeepsNoBoxWhoseInterpreterEndedOrSpoke) {
  const AheadBox ended([](FakeWire& wire, const Heard&) { wire.hang_up(); });
  EXPECT_EQ(ended.counts.waiting, 0U);
  const AheadBox spoke(answers_prepare(FrameType::stdout_data));
  EXPECT_EQ(spoke.counts.waiting, 0U);
}

TEST(WarmBackend, StartsNoInterpreterAheadBelow128MiB) {
  constexpr std::uint64_t kLeast = 128ULL << 20;
  EXPECT_EQ(
      AheadBox(answers_prepare(FrameType::prepared, runner::encode(2048U)), kLeast).heard.size(),
      1U);
  EXPECT_EQ(AheadBox(answers_prepare(FrameType::prepared, runner::encode(2048U)), kLeast - 1)
                .heard.size(),
            0U);
}

// It died in the moment in which it was handed its word: nothing has run.
// It would run as soon as the interpreter starts, though nobody has asked for anything.
TEST(WarmBackend, StartsNoInterpreterAheadThatCouldMeetCodeWhichIsShown) {
  const auto answers = answers_prepare(FrameType::prepared, runner::encode(2048U));
  const auto prepared = [&answers](const std::function<void(policy::Spec&)>& change) {
    return AheadBox(answers, 512ULL << 20, change).heard.size();
  };
  const auto shows = [](policy::Spec& spec) { spec.mounts = {{"/srv/a", "/mnt/a"}}; };
  EXPECT_EQ(prepared(shows), 1U);
  for (const char* const path : {"/mnt/a/bin:/bin", "/bin:/mnt", "../mnt/a"}) {
    EXPECT_EQ(prepared([&](policy::Spec& spec) {
                shows(spec);
                spec.environment["PATH"] = path;
              }),
              0U)
        << path;
  }
  EXPECT_EQ(prepared([](policy::Spec& spec) { spec.packages = "/store/a/packages"; }), 0U);
  EXPECT_EQ(prepared([](policy::Spec& spec) { spec.keeps_box = true; }), 0U);
}

TEST(WarmBackend, RunsInAnotherBoxWhatADyingInterpreterDidNotTake) {
  Warm warm([left = std::make_shared<int>(1)](FakeWire& wire, const Heard& frame) {
    if (frame.type != FrameType::job) return;
    if ((*left)-- == 0) return test::say_exit(wire, 0);
    wire.say(FrameType::failed, runner::encode(runner::Failed{std::string(runner::kHandOver), 32}));
  });
  EXPECT_EQ(warm.run().meta.cause, Cause::exited);
  EXPECT_EQ(warm.script->jobs, 2);
}

TEST(WarmBackend, LeavesNoBoxWhenItGoes) {
  const auto script = std::make_shared<Script>();
  {
    WarmBackend warm(std::make_shared<FakeBackend>(script), {});
    for (int time = 0; time < 5; ++time) (void)warm.open(test::spec_of(), Call{});
    while (script->opened < 6) std::this_thread::yield();
  }
  EXPECT_EQ(script->destroyed, script->opened);
}

}  // namespace
}  // namespace lazaret::core
