#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"
#include "lazaret/session.hpp"

// A program may be bounded in what it writes, not only in what is kept of it.
namespace lazaret::test {
namespace {

class OutputLimitOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
  }
  static ExecutionRequest limited(std::uint64_t bytes, ExecutionRequest request) {
    request.limits.output_bytes = bytes;
    return request;
  }
  static ExecutionResult run(std::uint64_t bytes, ExecutionRequest request) {
    return sandbox_on(GetParam()).execute(limited(bytes, std::move(request)));
  }
};

TEST_P(OutputLimitOn, LetsAProgramWriteAsMuchAndNoByteMore) {
  const std::string both = "head -c 60000 /dev/zero >&2; head -c 40000 /dev/zero; exec sleep 1";
  const ExecutionResult at = run(100'000, bash(both));
  EXPECT_EQ(at.meta.cause, Cause::exited) << to_json(at);
  const ExecutionResult beyond = run(99'999, bash(both));
  EXPECT_EQ(beyond.meta.cause, Cause::output_limit) << to_json(beyond);
  EXPECT_EQ(beyond.meta.output.stdout_bytes + beyond.meta.output.stderr_bytes, 100'000U);
  ASSERT_TRUE(beyond.error);
  EXPECT_EQ(beyond.error->type, ErrorType::OutputLimitError);
  EXPECT_EQ(beyond.error->message, "wrote more than 99999 bytes of output");
  EXPECT_EQ(beyond.error->hint, "raise --output-limit");
  EXPECT_FALSE(beyond.timed_out);
}

TEST_P(OutputLimitOn, EndsWhoGoesOnAndOn) {
  const ExecutionResult result = run(1 << 20, bash("echo begun; exec yes"));
  EXPECT_EQ(result.meta.cause, Cause::output_limit) << to_json(result);
  EXPECT_GT(result.meta.output.stdout_bytes, 1U << 20);
  EXPECT_TRUE(result.stdout_text.starts_with("begun\ny\n"));
  ASSERT_TRUE(result.meta.kill);
  EXPECT_EQ(result.meta.kill->path, "term");
  EXPECT_EQ(result.meta.kill->survivors, 0U);
}

TEST_P(OutputLimitOn, EndsWhoDoesNotHearToo) {
  ExecutionRequest deaf = bash("trap '' TERM; while :; do echo y; done");
  deaf.limits.grace = std::chrono::milliseconds(300);
  const ExecutionResult result = run(1 << 20, deaf);
  EXPECT_EQ(result.meta.cause, Cause::output_limit) << to_json(result);
  ASSERT_TRUE(result.meta.kill);
  EXPECT_EQ(result.meta.kill->path, "kill");
  EXPECT_EQ(result.meta.kill->survivors, 0U);
}

// The cell is interrupted; what the interpreter holds stays.
TEST_P(OutputLimitOn, IsOfEachProgramOfASession) {
  const CodeSandbox sandbox = sandbox_on(GetParam());
  auto session = sandbox.open_session({});
  ASSERT_TRUE(session.ok()) << session.error().message();
  const auto cell = [&session](const char* code) {
    ExecutionRequest request = limited(100'000, python(code));
    request.context = "main";
    return session->execute(request);
  };
  EXPECT_EQ(cell("kept = 7").meta.cause, Cause::exited);
  const ExecutionResult flood = cell("while True: print('y' * 1000)");
  EXPECT_EQ(flood.meta.cause, Cause::output_limit) << to_json(flood);
  const ExecutionResult after = cell("print('x' * 90_000, end='')\nkept");
  EXPECT_EQ(after.meta.cause, Cause::exited) << to_json(after);
  EXPECT_EQ(after.value, "7");
}

INSTANTIATE_TEST_SUITE_P(EachBackend, OutputLimitOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

}  // namespace
}  // namespace lazaret::test
