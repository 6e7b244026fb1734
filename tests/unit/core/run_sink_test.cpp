#include "core/run_sink.hpp"

#include <gtest/gtest.h>

namespace lazaret::core {
namespace {

struct Seen {
  std::string passed;
  ExecutionResult result;
};

// Ten bytes where four are kept.
Seen seen_of(policy::Streams streams) {
  Seen seen;
  ExecutionRequest request;
  request.on_output = [&seen](Stream, std::string_view bytes) { seen.passed += bytes; };
  policy::Spec spec;
  spec.streams = streams;
  spec.limits.stdout_bytes = 4;
  RunSink sink(request, spec);
  EXPECT_TRUE(sink.output(Stream::standard_output, bytes_of("0123456789")).ok());
  sink.pass_rest();
  sink.give(seen.result);
  return seen;
}

TEST(RunSink, PassesOnWhatItKeepsOfAProgram) {
  const Seen seen = seen_of(policy::Streams::kept);
  EXPECT_EQ(seen.passed, "01");
  EXPECT_TRUE(seen.result.truncated);
}

TEST(RunSink, PassesAllOnOfWhatIsRelayedAndKeepsNothing) {
  const Seen seen = seen_of(policy::Streams::relayed);
  EXPECT_EQ(seen.passed, "0123456789");
  EXPECT_EQ(seen.result.stdout_text, "");
  EXPECT_FALSE(seen.result.truncated);
}

// At the limit, one past it, and of a program that is being ended.
TEST(RunSink, RefusesWhatGoesBeyondTheLimitOfBothStreamsAndTakesIt) {
  for (const auto streams : {policy::Streams::kept, policy::Streams::relayed}) {
    policy::Spec spec;
    spec.streams = streams;
    spec.limits.output_bytes = 10;
    ExecutionRequest request;
    std::string passed;
    request.on_output = [&passed](Stream, std::string_view bytes) { passed += bytes; };
    RunSink sink(request, spec);
    EXPECT_TRUE(sink.output(Stream::standard_error, bytes_of("01234")).ok());
    EXPECT_TRUE(sink.output(Stream::standard_output, bytes_of("56789")).ok());
    EXPECT_FALSE(sink.is_over());
    EXPECT_EQ(sink.output(Stream::standard_output, bytes_of("a")).error().code(), Errc::too_large);
    EXPECT_TRUE(sink.is_over());
    EXPECT_TRUE(passed.ends_with("56789a"));
    sink.lift_limit();
    EXPECT_TRUE(sink.output(Stream::standard_output, bytes_of("b")).ok());
  }
}

}  // namespace
}  // namespace lazaret::core
