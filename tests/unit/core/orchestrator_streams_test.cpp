#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/core/stage.hpp"

namespace lazaret::core {
namespace {

using namespace test;

TEST(Run, CutsLongOutputAndGoesOnDraining_P22) {
  Stage stage(on_job([](FakeWire& wire) {
    for (int index = 0; index < 100; ++index)
      wire.say(FrameType::stdout_data, std::string(1000, 'x'));
    wire.say(FrameType::stderr_data, "short");
    say_exit(wire, 0);
  }));
  policy::Spec spec = spec_of();
  spec.limits.stdout_bytes = 1000;
  const ExecutionResult result = stage.run(spec);
  EXPECT_EQ(result.meta.output.stdout_bytes, 100'000U);
  EXPECT_TRUE(result.truncated);
  EXPECT_TRUE(result.meta.output.stdout_truncated);
  EXPECT_FALSE(result.meta.output.stderr_truncated);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(result.success());
}

TEST(Run, StreamsOutputUntilTheHeadIsFull) {
  Stage stage(on_job([](FakeWire& wire) {
    for (const char* const piece : {"abc", "def", "ghi"}) wire.say(FrameType::stdout_data, piece);
    say_exit(wire, 0);
  }));
  std::string streamed;
  stage.request.on_output = [&streamed](Stream, std::string_view text) {
    streamed.append(text).append("|");
  };
  policy::Spec spec = spec_of();
  spec.limits.stdout_bytes = 8;
  (void)stage.run(spec);
  EXPECT_EQ(streamed, "abc|d|");
}

std::string streamed_of(std::string_view output, std::uint64_t cap) {
  Stage stage(on_job([output](FakeWire& wire) {
    wire.say(FrameType::stdout_data, output);
    say_exit(wire, 0);
  }));
  std::string streamed;
  stage.request.on_output = [&streamed](Stream, std::string_view text) { streamed += text; };
  policy::Spec spec = spec_of();
  spec.limits.stdout_bytes = cap;
  (void)stage.run(spec);
  return streamed;
}

TEST(Run, StreamsTheRestInTheEndIfNothingWasCut) {
  EXPECT_EQ(streamed_of("abcd\xFF\xFE", 6), "abcd\xFF\xFE");
  EXPECT_EQ(streamed_of("abcd\xFF\xFE", 5), "abc");
}

TEST(Run, CarriesStandardInputInWindows) {
  Stage stage({});
  std::size_t taken = 0, largest = 0;
  stage.script->runner = [&](FakeWire& wire, const Heard& frame) {
    if (frame.type == FrameType::stdin_end) say_exit(wire, 0);
    if (frame.type != FrameType::stdin_data) return;
    taken += frame.payload.size();
    largest = std::max(largest, frame.payload.size());
    wire.say(FrameType::stdin_credit,
             runner::encode(static_cast<std::uint32_t>(frame.payload.size())));
  };
  stage.request.stdin_data = std::string(300'000, 'i');
  EXPECT_TRUE(stage.run().success());
  EXPECT_EQ(taken, 300'000U);
  EXPECT_LE(largest, runner::kStdinWindow);
}

TEST(Run, DoesNotWaitForAProgramToReadItsInput) {
  Stage stage([](FakeWire& wire, const Heard& frame) {
    if (frame.type == FrameType::stdin_data) say_exit(wire, 4);
  });
  stage.request.stdin_data = std::string(300'000, 'i');
  EXPECT_EQ(stage.run().exit_code, 4);
}

TEST(Run, WarnsWhenStandardInputWasCut) {
  Stage stage({});
  stage.script->runner = [](FakeWire& wire, const Heard& frame) {
    if (frame.type == FrameType::stdin_end) say_exit(wire, 0);
    if (frame.type != FrameType::stdin_data) return;
    wire.say(FrameType::stdin_credit,
             runner::encode(static_cast<std::uint32_t>(frame.payload.size())));
  };
  stage.request.stdin_source = [](const std::stop_token&) { return std::string(100'000, 's'); };
  EXPECT_THAT(stage.run().meta.warnings, testing::Contains("standard input was cut at 1 MiB"));
}

// The box takes no input at all, so TERM cannot be sent; neither bound may wait for the other's.
TEST(Run, EndsAtTheDeadlineAndGraceWhenTheBoxTakesNoInput) {
  Stage stage({});
  stage.script->takes_stdin = false;
  stage.request.stdin_data = std::string(300'000, 'i');
  policy::Spec spec = spec_of(std::chrono::milliseconds(50));
  spec.limits.grace = std::chrono::milliseconds(20);
  const ExecutionResult result = stage.run(spec);
  EXPECT_EQ(result.meta.cause, Cause::timeout);
  EXPECT_EQ(result.meta.kill->path, "kill");
  EXPECT_EQ(stage.script->killed, 1);
}

TEST(Run, EndsWithinGraceOfAStopWhenTheBoxTakesNoInput) {
  std::stop_source source;
  Stage stage([&source](FakeWire&, const Heard& frame) {
    if (frame.type == FrameType::job) source.request_stop();
  });
  stage.script->takes_stdin = false;
  stage.request.stop = source.get_token();
  stage.request.stdin_data = std::string(300'000, 'i');
  policy::Spec spec = spec_of(std::chrono::hours(1));
  spec.limits.grace = std::chrono::milliseconds(20);
  const ExecutionResult result = stage.run(spec);
  EXPECT_EQ(result.meta.cause, Cause::cancelled);
  EXPECT_LT(result.meta.kill->latency, std::chrono::seconds(20));
}

}  // namespace
}  // namespace lazaret::core
