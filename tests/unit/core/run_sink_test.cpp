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
  sink.output(Stream::standard_output, bytes_of("0123456789"));
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

}  // namespace
}  // namespace lazaret::core
