#include "core/orchestrator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/core/stage.hpp"

namespace lazaret::core {
namespace {

using namespace test;
using std::chrono::milliseconds;
using testing::HasSubstr;

TEST(Run, GivesWhatTheProgramWroteAndItsStatus) {
  Stage stage(on_job([](FakeWire& wire) {
    wire.say(FrameType::stdout_data, "out");
    wire.say(FrameType::stderr_data, "err");
    wire.say(FrameType::value_data, R"({"value":{"a":1}})");
    say_exit(wire, 0);
  }));
  const ExecutionResult result = stage.run();
  EXPECT_TRUE(result.success());
  EXPECT_EQ(result.stdout_text, "out");
  EXPECT_EQ(result.stderr_text, "err");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.value, R"({"a":1})");
  EXPECT_EQ(result.meta.cause, Cause::exited);
  EXPECT_EQ(result.meta.backend, "native");
  EXPECT_EQ(result.meta.runtime, "native 1.0");
  EXPECT_FALSE(result.meta.kill.has_value());
  EXPECT_EQ(stage.script->destroyed, 1);
}

TEST(Run, HandsTheWholeJobOver) {
  Stage stage(exits_with(0));
  policy::Spec spec = spec_of();
  spec.limits.cpu_time = std::chrono::seconds(3);
  (void)stage.run(spec);
  const auto job = runner::decode_job(bytes_of(stage.script->heard().at(0).payload));
  ASSERT_TRUE(job.ok());
  EXPECT_EQ(job->argv, spec.program.argv);
  EXPECT_THAT(job->environment, testing::ElementsAre("LANG=C.UTF-8", "PATH=/bin"));
  EXPECT_EQ(job->working_directory, "/work");
  EXPECT_EQ(job->files.at(0).content, "print(1)");
  EXPECT_EQ(job->cpu_seconds, 3U);
}

TEST(Run, KeepsTheProgramsOwnStatusAndErrorWhenItFails_P17) {
  Stage stage(on_job([](FakeWire& wire) {
    wire.say(FrameType::value_data,
             R"({"error":{"type":"RuntimeError","message":"boom","stack":"at line 1"}})");
    say_exit(wire, 137);
  }));
  const ExecutionResult result = stage.run();
  EXPECT_EQ(result.exit_code, 137);
  EXPECT_EQ(result.meta.cause, Cause::nonzero_exit);
  EXPECT_EQ(result.error->type, ErrorType::RuntimeError);
  EXPECT_EQ(result.error->stack, "at line 1");
  EXPECT_FALSE(result.success());
}

TEST(Run, NamesTheSignalThatEndedTheProgram) {
  const ExecutionResult result = Stage(on_job([](FakeWire& wire) { say_signal(wire, 11); })).run();
  EXPECT_EQ(result.meta.cause, Cause::signalled);
  EXPECT_EQ(result.meta.signal, 11);
  EXPECT_EQ(result.exit_code, -1);
  EXPECT_EQ(result.error->message, "ended by SIGSEGV");
}

TEST(Run, TellsAProgramToEndAtTheTimeoutAndKeepsItsLastWords_P08_P12) {
  Stage stage(obeys_term(0));
  const ExecutionResult result = stage.run(spec_of(milliseconds(20)));
  EXPECT_EQ(stage.signals(), std::vector<std::uint32_t>{15});
  EXPECT_EQ(result.meta.cause, Cause::timeout);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.stdout_text, "working\ntidied up\n");
  EXPECT_EQ(result.error->type, ErrorType::TimeoutError);
  ASSERT_TRUE(result.meta.kill.has_value());
  EXPECT_EQ(result.meta.kill->path, "term");
  EXPECT_EQ(stage.script->killed, 1);
}

// L-09: the kernel counts each process by itself; a tree of short ones would never reach its limit.
TEST(Run, EndsAProgramWhoseProcessesTogetherHaveUsedUpTheirTime) {
  Stage stage(obeys_term(0));
  stage.script->counters = backend::Autopsy{};
  stage.script->counters->usage.cpu_ms = 500;  // before the program
  stage.script->burns_ms = 700;
  policy::Spec spec = spec_of(milliseconds(30'000));
  spec.limits.cpu_time = std::chrono::seconds(1);
  spec.limits.cpus = 100;  // so that it is looked at soon
  const ExecutionResult result = stage.run(spec);
  EXPECT_EQ(result.meta.cause, Cause::cpu_limit);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.error->type, ErrorType::TimeoutError);
  EXPECT_EQ(stage.signals(), std::vector<std::uint32_t>{15});
  EXPECT_EQ(result.meta.kill->path, "term");
}

TEST(Run, LeavesThoseInPeaceThatHaveUsedLittleOrThatNobodyCounts) {
  for (const bool counted : {true, false}) {
    Stage stage(on_job([](FakeWire& wire) { say_exit(wire, 0); }));
    if (counted) stage.script->counters = backend::Autopsy{};
    if (counted) stage.script->counters->usage.cpu_ms = 900'000;
    policy::Spec spec = spec_of(milliseconds(30'000));
    spec.limits.cpu_time = std::chrono::seconds(1);
    const ExecutionResult result = stage.run(spec);
    EXPECT_EQ(result.meta.cause, Cause::exited) << counted;
    EXPECT_EQ(result.meta.warnings.empty(), counted) << to_json(result);
  }
}

TEST(Run, KillsFromOutsideWhatDoesNotObey_P08) {
  Stage stage(on_job([](FakeWire& wire) { wire.say(FrameType::stdout_data, "deaf"); }));
  policy::Spec spec = spec_of(milliseconds(10));
  spec.limits.grace = milliseconds(30);
  const ExecutionResult result = stage.run(spec);
  EXPECT_EQ(result.meta.cause, Cause::timeout);
  EXPECT_EQ(result.exit_code, -1);
  EXPECT_EQ(result.stdout_text, "deaf");
  EXPECT_EQ(result.meta.kill->path, "kill");
  EXPECT_GE(result.meta.kill->latency, milliseconds(30));
  EXPECT_EQ(stage.script->killed, 1);
}

TEST(Run, DoesNotBelieveAnExitThatCameAfterTheKill) {
  Stage stage({});
  stage.script->runner = [](FakeWire& wire, const Heard& frame) {
    if (frame.type == FrameType::signal) wire.refuse_writes(Errc::connection_lost);
    if (frame.type == FrameType::signal) say_exit(wire, 0);
  };
  const ExecutionResult result = stage.run(spec_of(milliseconds(10)));
  EXPECT_EQ(result.meta.kill->path, "kill");
  EXPECT_EQ(result.meta.cause, Cause::timeout);
}

TEST(Run, EndsWhenTheCallerStops) {
  Stage stage({});
  std::stop_source source;
  stage.request.stop = source.get_token();
  stage.script->runner = [&source](FakeWire& wire, const Heard& frame) {
    if (frame.type == FrameType::job) source.request_stop();
    if (frame.type == FrameType::signal) say_exit(wire, 1);
  };
  const ExecutionResult result = stage.run();
  EXPECT_EQ(result.meta.cause, Cause::cancelled);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.meta.kill->path, "term");
  EXPECT_EQ(stage.script->killed, 1);
}

TEST(Run, IsCancelledWhenTheCallerStopsBeforeTheJobIsHandedOver) {
  Stage stage({});
  stage.script->runner = [](FakeWire& wire, const Heard&) { wire.refuse_writes(Errc::cancelled); };
  const ExecutionResult result = stage.run();
  EXPECT_EQ(result.meta.cause, Cause::cancelled);
  EXPECT_EQ(stage.script->destroyed, 1);
}

TEST(Run, IsCancelledWhenTheCallerStopsBeforeTheBoxIsMade) {
  Stage stage(exits_with(0));
  std::stop_source source;
  source.request_stop();
  stage.request.stop = source.get_token();
  EXPECT_EQ(stage.run().meta.cause, Cause::cancelled);
  EXPECT_EQ(stage.script->jobs, 0);
}

TEST(Run, SaysInfrastructureLostWhenTheRunnerGoesAway_P13_P20) {
  const ExecutionResult result = Stage(on_job([](FakeWire& wire) {
                                   wire.say(FrameType::stdout_data, "half");
                                   wire.hang_up();
                                 })).run();
  EXPECT_EQ(result.meta.cause, Cause::infrastructure_lost);
  EXPECT_EQ(result.error->type, ErrorType::BackendError);
  EXPECT_EQ(result.stdout_text, "half");
  EXPECT_EQ(result.exit_code, -1);
  EXPECT_TRUE(result.truncated) << "cut output is presented as complete";
  EXPECT_THAT(result.meta.warnings, testing::ElementsAre(HasSubstr("may be cut")));
  EXPECT_THAT(result.error->hint.value_or(""), HasSubstr("may have run"));
}

TEST(Run, DoesNotCallOutputCutWhoseEndItHasHeard) {
  const ExecutionResult result = Stage(exits_with(0)).run();
  EXPECT_FALSE(result.truncated);
  EXPECT_THAT(result.meta.warnings, testing::IsEmpty());
}

TEST(Run, SaysThatOutputMayBeCutWhenTheStreamOfAnEndedBoxDoesNotEnd) {
  Stage stage(on_job([](FakeWire& wire) { wire.say(FrameType::stdout_data, "half"); }));
  const ExecutionResult closed = stage.run(spec_of(milliseconds(10)));
  EXPECT_FALSE(closed.truncated);
  stage.script->wire_outlives_kill = true;
  const ExecutionResult open = stage.run(spec_of(milliseconds(10)));
  EXPECT_EQ(open.meta.cause, Cause::timeout);
  EXPECT_TRUE(open.truncated);
  EXPECT_THAT(open.meta.warnings, testing::ElementsAre(HasSubstr("may be cut")));
}

TEST(Run, WarnsWhenATimeoutHasEndedABoxThatNeverSaidItHadStartedTheProgram) {
  Stage stage(on_job([](FakeWire&) {}));
  EXPECT_THAT(stage.run(spec_of(milliseconds(10))).meta.warnings,
              testing::ElementsAre("the box never said that it had started the program"));
}

TEST(Run, SaysThatTheProgramHasNotRunWhenNoBoxWasMade) {
  Stage stage(exits_with(0));
  stage.backend.refusal = Error(Errc::connection_lost, "creating the container: lost");
  EXPECT_THAT(stage.run().error->hint.value_or(""), HasSubstr("has not run"));
  stage.backend.refusal = Error(Errc::image_missing, "no image").with_hint("pull it");
  EXPECT_EQ(stage.run().error->hint, "pull it");
}

TEST(Run, SaysInfrastructureLostWhenTheRunnerTalksNonsense) {
  const ExecutionResult result =
      Stage(on_job([](FakeWire& wire) { wire.say_bytes(bytes_of("nonsense")); })).run();
  EXPECT_EQ(result.meta.cause, Cause::infrastructure_lost);
}

TEST(Run, SaysInfrastructureLostWhenTheJobCannotBeHandedOver) {
  Stage stage([](FakeWire& wire, const Heard&) { wire.refuse_writes(Errc::connection_lost); });
  const ExecutionResult result = stage.run();
  EXPECT_EQ(result.meta.cause, Cause::infrastructure_lost);
  EXPECT_THAT(result.error->message, HasSubstr("starting the job"));
  EXPECT_THAT(result.error->hint.value_or(""), HasSubstr("has not run"));
  EXPECT_FALSE(result.truncated);
}

TEST(Run, SaysMemoryWhenTheKernelsCountersDo_P15_P16) {
  Stage stage(on_job([](FakeWire& wire) { say_signal(wire, 9); }));
  stage.script->autopsy.usage.memory_kills = true;
  const ExecutionResult result = stage.run();
  EXPECT_EQ(result.meta.cause, Cause::memory_limit);
  EXPECT_EQ(result.error->type, ErrorType::MemoryError);
  EXPECT_EQ(result.meta.signal, 9);
}

TEST(Run, SaysMemoryWhenTheRunnerWasKilledWithTheProgram_P16) {
  Stage stage(on_job([](FakeWire& wire) { wire.hang_up(); }));
  stage.script->autopsy.usage.memory_kills = true;
  EXPECT_EQ(stage.run().meta.cause, Cause::memory_limit);
}

TEST(Run, CountsTheSurvivorsOfAKillAndTakesTheUsageOver) {
  Stage stage(obeys_term(0));
  stage.script->autopsy.survivors = 3;
  stage.script->autopsy.usage = {
      .cpu_ms = 12, .peak_memory_bytes = 4096, .peak_pids = 2, .source = "cgroup"};
  const ExecutionResult result = stage.run(spec_of(milliseconds(10)));
  EXPECT_EQ(result.meta.kill->survivors, 3U);
  EXPECT_EQ(result.meta.usage.cpu_ms, 12U);
  EXPECT_EQ(result.meta.usage.source, "cgroup");
}

TEST(Run, WarnsWhenTheBoxCannotBeEnded) {
  Stage stage(obeys_term(0));
  stage.script->kill_fails = true;
  stage.script->warnings = {"from the box"};
  EXPECT_THAT(stage.run(spec_of(milliseconds(10))).meta.warnings,
              testing::ElementsAre("the box could not be ended: still there", "from the box"));
}

TEST(Run, RemovesTheBoxOnceAndWarnsWhenSomethingOfItStays) {
  Stage stage(obeys_term(0));
  EXPECT_THAT(stage.run(spec_of(milliseconds(10))).meta.warnings, testing::IsEmpty());
  EXPECT_EQ(stage.script->disposed, 1);
  stage.script->dispose_fails = true;
  EXPECT_THAT(stage.run(spec_of(milliseconds(10))).meta.warnings,
              testing::ElementsAre("the box could not be removed: it will not go"));
}

TEST(Run, NamesAProgramThatIsNotThere) {
  const ExecutionResult result =
      Stage(on_job([](FakeWire& wire) {
        wire.say(FrameType::failed, runner::encode(runner::Failed{"exec", 2}));
      })).run();
  EXPECT_EQ(result.meta.cause, Cause::start_failed);
  EXPECT_EQ(result.meta.start_errno, 2);
  EXPECT_EQ(result.error->message, "no such program in the box: python3");
}

// A directory that is not there is no missing program.
TEST(Run, NamesTheStepAtWhichTheStartFailed) {
  const auto failed_with = [](std::int32_t code) {
    return Stage(on_job([code](FakeWire& wire) {
             wire.say(FrameType::failed, runner::encode(runner::Failed{"chdir", code}));
           })).run();
  };
  EXPECT_EQ(failed_with(13).meta.start_errno, 13);
  EXPECT_THAT(failed_with(13).error->message, HasSubstr("chdir: Permission denied (errno 13)"));
  EXPECT_EQ(failed_with(2).meta.cause, Cause::start_failed);
  EXPECT_FALSE(failed_with(2).meta.start_errno);
}

TEST(Run, GivesNoValueOfAProgramThatFailed) {
  const ExecutionResult result = Stage(on_job([](FakeWire& wire) {
                                   wire.say(FrameType::value_data, R"({"value":1})");
                                   say_exit(wire, 1);
                                 })).run();
  EXPECT_EQ(result.value, std::nullopt);
  EXPECT_EQ(result.error, std::nullopt);
}

TEST(Run, SaysThatTheValueOfAProgramThatEndedWellIsNone_P26) {
  const ExecutionResult result =
      Stage(on_job([](FakeWire& wire) {
        wire.say(FrameType::value_data,
                 R"({"error":{"type":"SerializationError","message":"NaN"}})");
        say_exit(wire, 0);
      })).run();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.error->type, ErrorType::SerializationError);
}

TEST(Run, DoesNotLetAProgramThatEndedWellClaimToHaveFailed) {
  const ExecutionResult result =
      Stage(on_job([](FakeWire& wire) {
        wire.say(FrameType::value_data, R"({"error":{"type":"MemoryError","message":"forged"}})");
        say_exit(wire, 0);
      })).run();
  EXPECT_TRUE(result.success());
}

TEST(Run, KeepsOurOwnErrorBeforeTheProgramsClaim) {
  const ExecutionResult result =
      Stage([](FakeWire& wire, const Heard& frame) {
        if (frame.type == FrameType::job)
          wire.say(FrameType::value_data, R"({"error":{"type":"RuntimeError"}})");
        if (frame.type == FrameType::signal) say_exit(wire, 1);
      }).run(spec_of(milliseconds(10)));
  EXPECT_EQ(result.error->type, ErrorType::TimeoutError);
}

TEST(Run, PassesEvidenceAndIsolationOn) {
  Stage stage(exits_with(0));
  stage.script->evidence = {
      {Control::network, EvidenceStatus::enforced, "none", "lo only", "runner report"},
      {Control::swap, EvidenceStatus::not_enforced, "none", "no cgroup", "nothing"}};
  const ExecutionResult result = stage.run();
  ASSERT_EQ(result.meta.evidence.size(), 2U);
  EXPECT_EQ(result.meta.evidence[1].applied, "no cgroup");
  EXPECT_EQ(result.meta.isolation, Isolation::partial);
}

TEST(Run, NeverRunsTheCodeInABoxThatWasRefused) {
  Stage stage(exits_with(0));
  stage.backend.refusal = Error(Errc::enforcement_mismatch, "required but not enforced: network")
                              .with_hint("see doctor");
  const ExecutionResult result = stage.run();
  EXPECT_EQ(result.meta.cause, Cause::enforcement_mismatch);
  EXPECT_EQ(result.error->type, ErrorType::BackendError);
  EXPECT_EQ(result.error->hint, "see doctor");
  EXPECT_EQ(result.meta.backend, "native");
  EXPECT_EQ(result.meta.isolation, Isolation::none);
  EXPECT_EQ(stage.script->jobs, 0);
}

struct OpenFailure {
  Errc code;
  Cause cause;
};

TEST(Run, TellsWhyABoxCouldNotBeMade) {
  constexpr OpenFailure kFailures[] = {
      {Errc::image_missing, Cause::image_missing},
      {Errc::connection_lost, Cause::infrastructure_lost},
      {Errc::timed_out, Cause::infrastructure_lost},
      {Errc::engine, Cause::infrastructure_lost},
      {Errc::cancelled, Cause::cancelled},
      {Errc::start_failed, Cause::start_failed},
      {Errc::unsupported, Cause::backend_unavailable},
      {Errc::connection_refused, Cause::backend_unavailable},
      {Errc::permission_denied, Cause::backend_unavailable},
      {Errc::invalid_argument, Cause::backend_unavailable},
      {Errc::too_large, Cause::backend_unavailable},
      {Errc::system, Cause::backend_unavailable},
  };
  for (const OpenFailure& failure : kFailures) {
    SCOPED_TRACE(std::string(name_of(failure.code)));
    Stage stage(exits_with(0));
    stage.backend.refusal = Error(failure.code, "no");
    const ExecutionResult result = stage.run();
    EXPECT_EQ(result.meta.cause, failure.cause);
    EXPECT_EQ(result.error->type, ErrorType::BackendError);
  }
}

TEST(FailedRun, IsAPolicyDenialForABadRequest) {
  const ExecutionResult result =
      failed_run(Error(Errc::permission_denied, "no LD_PRELOAD").with_hint("leave it out"));
  EXPECT_EQ(result.meta.cause, Cause::policy_denied);
  EXPECT_EQ(result.error->type, ErrorType::PolicyDenied);
  EXPECT_EQ(result.error->hint, "leave it out");
  EXPECT_EQ(result.exit_code, -1);
}

}  // namespace
}  // namespace lazaret::core
