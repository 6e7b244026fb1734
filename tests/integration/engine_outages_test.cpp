#include <atomic>
#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/orchestrator.hpp"
#include "integration/docker_bed.hpp"
#include "integration/private_engine.hpp"
#include "integration/support.hpp"

// The engine itself is stopped, or restarted, in the middle of a run. Only an engine that was
// started for the tests: its folder says so.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;

class EngineOutage : public DockerBed {
 protected:
  void SetUp() override {
    DockerBed::SetUp();
    if (!backend_) return;
    engine_ = std::make_unique<PrivateEngine>(GetParam(), endpoint_);
    if (!engine_->is_ours())
      LAZARET_SKIP_OR_FAIL("own_engine", "this engine was not started for the tests");
  }

  // A run at whose first output `act` happens.
  [[nodiscard]] ExecutionResult run_until(const std::string& code, std::chrono::milliseconds most,
                                          const std::function<void()>& act) {
    policy::Spec spec = spec_of({"sh", "-c", code, marker_});
    spec.limits.timeout = most;
    spec.limits.grace = 200ms;
    ExecutionRequest request;
    request.on_output = [done = false, &act](Stream, std::string_view) mutable {
      if (!std::exchange(done, true)) act();
    };
    return core::run(*backend_, request, spec).result;
  }
  void expect_a_good_run() {
    const ExecutionResult next = core::run(*backend_, {}, spec_of({"echo", "again"})).result;
    EXPECT_EQ(next.stdout_text, "again\n") << to_json(next, 1);
  }

  std::string marker_ = unique_marker();
  std::unique_ptr<PrivateEngine> engine_;
};

INSTANTIATE_TEST_SUITE_P(Engines, EngineOutage, testing::Values("docker", "podman"), engine_name);

TEST_P(EngineOutage, StoppedForAMomentCostsARunNothingButTime) {
  std::jthread later;
  const ExecutionResult result = run_until("echo begin; sleep 0.2; echo end", 20s, [&] {
    engine_->stop();
    later = std::jthread([this] {
      std::this_thread::sleep_for(800ms);  // how long it is stopped
      engine_->go_on();
    });
  });
  EXPECT_EQ(result.meta.cause, Cause::exited) << to_json(result, 1);
  EXPECT_EQ(result.stdout_text, "begin\nend\n");
  EXPECT_FALSE(result.truncated);
}

TEST_P(EngineOutage, StoppedBeyondATimeoutEndsTheRunInBoundedTime) {
  std::jthread later;
  const auto started = std::chrono::steady_clock::now();
  const ExecutionResult result =
      run_until("trap '' TERM; echo begin; while :; do sleep 0.1; done", 2s, [&] {
        engine_->stop();
        later = std::jthread([this] {
          std::this_thread::sleep_for(4s);  // beyond timeout and grace
          engine_->go_on();
        });
      });
  EXPECT_LT(std::chrono::steady_clock::now() - started, 30s);
  EXPECT_EQ(result.meta.cause, Cause::timeout) << to_json(result, 1);
  EXPECT_EQ(result.stdout_text, "begin\n");
  EXPECT_THAT(processes_marked(marker_), IsEmpty());
  ASSERT_TRUE(later.joinable()) << "the program has not begun";
  later.join();
  expect_a_good_run();
}

TEST_P(EngineOutage, RestartedInTheMiddleLosesTheRunAndNothingStays) {  // P-44
  std::jthread later;
  std::atomic<bool> back = false;
  const ExecutionResult result = run_until("echo begin; sleep 60; echo end", 60s, [&] {
    later = std::jthread([&] { back = engine_->restart(); });
  });
  later.join();
  ASSERT_TRUE(back) << "the engine did not come back";
  EXPECT_EQ(result.meta.cause, Cause::infrastructure_lost) << to_json(result, 1);
  EXPECT_EQ(result.stdout_text, "begin\n");
  EXPECT_TRUE(result.truncated);
  EXPECT_THAT(result.error->hint.value_or(""), HasSubstr("may have run"));
  expect_a_good_run();
  EXPECT_TRUE(becomes_true(5s, [this] { return processes_marked(marker_).empty(); }));
}

}  // namespace
}  // namespace lazaret::test
