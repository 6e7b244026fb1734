#include "core/session.hpp"

#include <atomic>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/base/scratch.hpp"
#include "unit/core/stage.hpp"

namespace lazaret::core {
namespace {

using namespace test;
using testing::HasSubstr;

// A session on a box that does as its script says.
struct Kept {
  std::shared_ptr<Script> script = std::make_shared<Script>();  // shared with the box
  std::unique_ptr<Session> session;

  explicit Kept(FakeWire::Runner runner, std::chrono::seconds lifetime = std::chrono::hours(1),
                std::chrono::milliseconds timeout = std::chrono::minutes(1)) {
    script->runner = std::move(runner);
    script->others = 0;
    auto backend = std::make_shared<FakeBackend>(script);
    policy::Spec spec = spec_of(timeout);
    spec.keeps_box = true;
    auto box = backend->open(spec, Call{});
    const auto resolve = [spec](ExecutionRequest&) { return Result<policy::Spec>(spec); };
    session = std::make_unique<Session>(Session::Parts{.backend = std::move(backend),
                                                       .box = std::move(box).value(),
                                                       .spec = spec,
                                                       .packages = {},
                                                       .way_out = nullptr,
                                                       .resolve = resolve,
                                                       .lifetime = lifetime,
                                                       .idle = std::chrono::hours(1),
                                                       .fallback = std::nullopt});
  }
};

TEST(CoreSession, RunsOneAfterAnotherInItsBox) {
  Kept kept(exits_with(3));
  EXPECT_EQ(kept.session->execute({}).exit_code, 3);
  EXPECT_EQ(kept.session->execute({}).exit_code, 3);
  EXPECT_EQ(kept.script->opened, 1);
  EXPECT_EQ(kept.script->jobs, 2);
  EXPECT_EQ(kept.script->disposed, 0);
  EXPECT_EQ(kept.session->state(), SessionState::ready);
}

// Its program is ended at once and does as it is told.
struct Overdue : Kept {
  Overdue() : Kept(obeys_term(0), std::chrono::hours(1), std::chrono::milliseconds(1)) {}
};

TEST(CoreSession, GoesOnAfterAProgramThatIsEndedAndLeavesNothing) {
  Overdue kept;
  EXPECT_EQ(kept.session->execute({}).meta.cause, Cause::timeout);
  EXPECT_EQ(kept.session->state(), SessionState::ready);
  EXPECT_EQ(kept.script->killed, 0);
}

TEST(CoreSession, IsLostWithAProgramThatIsEndedAndLeavesSomething) {
  Overdue kept;
  kept.script->others = 1;
  EXPECT_THAT(kept.session->execute({}).meta.warnings,
              testing::Contains(HasSubstr("session ended")));
  EXPECT_EQ(kept.session->state(), SessionState::lost);
  EXPECT_EQ(kept.script->disposed, 1);
  EXPECT_EQ(kept.session->execute({}).meta.cause, Cause::backend_unavailable);
  EXPECT_EQ(kept.script->jobs, 1);
}

TEST(CoreSession, IsLostWhenNobodyKnowsWhatAnEndedProgramLeaves) {
  Overdue kept;
  kept.script->others.reset();
  (void)kept.session->execute({});
  EXPECT_EQ(kept.session->state(), SessionState::lost);
}

TEST(CoreSession, IsLostWithAPutWhoseAnswerDoesNotCome) {
  Kept kept([](FakeWire& wire, const Heard& frame) {
    if (frame.type == FrameType::put_end) wire.hang_up();
  });
  EXPECT_FALSE(kept.session->put({{"a", "1", {}}}, Session::Existing::gives_way, {}).ok());
  EXPECT_EQ(kept.session->state(), SessionState::lost);
  EXPECT_EQ(kept.script->disposed, 1);
}

TEST(CoreSession, GoesOnAfterAFileThatHadNoRoom) {
  constexpr int kNoSpace = 28;
  Kept kept([](FakeWire& wire, const Heard& frame) {
    if (frame.type == FrameType::put_end)
      wire.say(FrameType::placed, runner::encode(runner::Placed{"a", kNoSpace}));
  });
  const Status put = kept.session->put({{"a", "1", {}}}, Session::Existing::gives_way, {});
  ASSERT_FALSE(put.ok());
  EXPECT_EQ(put.error().code(), Errc::too_large);
  EXPECT_EQ(put.error().os_error(), kNoSpace);
  EXPECT_EQ(kept.session->state(), SessionState::ready);
}

TEST(CoreSession, IsNotTouchedByWhoHasGivenUpBefore) {
  Kept kept(exits_with(0));
  std::stop_source stop;
  stop.request_stop();
  ExecutionRequest request;
  request.stop = stop.get_token();
  request.return_artifacts = true;
  EXPECT_EQ(kept.session->execute(request).meta.cause, Cause::cancelled);
  EXPECT_EQ(kept.session->put({{"a", "1", {}}}, Session::Existing::stays, stop.get_token())
                .error()
                .code(),
            Errc::cancelled);
  EXPECT_EQ(kept.session->get({".", {}}, stop.get_token()).error().code(), Errc::cancelled);
  EXPECT_EQ(kept.script->jobs, 0);
  EXPECT_EQ(kept.session->state(), SessionState::ready);
}

TEST(CoreSession, TouchesNoBoxForADirectoryThatIsNotEmpty) {
  const lazaret::test::Scratch scratch;
  std::ofstream(scratch.path() / "here") << "1";
  Kept kept(exits_with(0));
  ExecutionRequest request;
  request.output_directory = scratch.path().string();
  EXPECT_EQ(kept.session->execute(request).meta.cause, Cause::policy_denied);
  EXPECT_EQ(kept.script->jobs, 0);
  EXPECT_EQ(kept.session->state(), SessionState::ready);
}

TEST(CoreSession, ExpiresOnceItsTimeIsOver) {
  Kept kept(exits_with(0), std::chrono::seconds(0));
  kept.session->expire();
  EXPECT_EQ(kept.session->state(), SessionState::expired);
  EXPECT_EQ(kept.script->disposed, 1);
}

TEST(CoreSession, GoesOnWhileItsTimeIsNotOver) {
  Kept kept(exits_with(0));
  kept.session->expire();
  EXPECT_EQ(kept.session->state(), SessionState::ready);
  EXPECT_EQ(kept.script->disposed, 0);
}

// Who uses the box meanwhile is told to end, and removes it; who waits for it is told, too.
TEST(CoreSession, IsClosedBesideARunAndOneThatWaits) {
  std::atomic<bool> started = false;
  Kept kept([&started](FakeWire& wire, const Heard& frame) {
    if (frame.type == FrameType::job) started = true;
    if (frame.type == FrameType::signal) say_signal(wire, 15);
  });
  ExecutionResult ran, waited;
  std::jthread running([&] { ran = kept.session->execute({}); });
  while (!started) std::this_thread::yield();
  std::jthread waiting([&] { waited = kept.session->execute({}); });
  kept.session->close();
  running.join();
  waiting.join();
  EXPECT_EQ(ran.meta.cause, Cause::cancelled);
  EXPECT_EQ(waited.meta.cause, Cause::backend_unavailable);
  EXPECT_EQ(kept.session->state(), SessionState::closed);
  EXPECT_EQ(kept.script->jobs, 1);
  EXPECT_EQ(kept.script->disposed, 1);
}

TEST(CoreSession, LetsWhoWaitsGiveUp) {
  std::atomic<bool> started = false;
  std::stop_source stop, other;
  Kept kept([&started](FakeWire& wire, const Heard& frame) {
    if (frame.type == FrameType::job) started = true;
    if (frame.type == FrameType::signal) say_signal(wire, 15);
  });
  ExecutionRequest running, waiting;
  running.stop = other.get_token();
  waiting.stop = stop.get_token();
  std::jthread first([&] { (void)kept.session->execute(running); });
  while (!started) std::this_thread::yield();
  stop.request_stop();
  EXPECT_EQ(kept.session->execute(waiting).meta.cause, Cause::cancelled);
  EXPECT_EQ(kept.script->jobs, 1);
  other.request_stop();
}

}  // namespace
}  // namespace lazaret::core
