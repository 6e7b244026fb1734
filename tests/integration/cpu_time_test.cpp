#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"

// Processor time is the program's: many processes have no more of it than one.
namespace lazaret::test {
namespace {

using std::chrono::seconds;

class CpuTimeOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
    if (GetParam() == std::string("native") && !is_counted())
      LAZARET_SKIP_OR_FAIL("counters", "no cgroup v2 with controllers; the machines have one");
  }
  static bool is_counted() {
    return sandbox_on(GetParam()).execute(bash("true")).meta.usage.source == "cgroup";
  }
};

// Each of them lives for a fifth of the limit.
TEST_P(CpuTimeOn, IsThatOfAllProcessesTogether) {  // L-09
  ExecutionRequest request =
      bash("echo begun\nwhile :; do timeout 0.2 sh -c 'while :; do :; done'; done");
  request.limits.cpu_time = seconds(1);
  request.limits.timeout = seconds(60);
  const ExecutionResult result = sandbox_on(GetParam()).execute(request);
  EXPECT_EQ(result.meta.cause, Cause::cpu_limit) << to_json(result);
  EXPECT_EQ(result.stdout_text, "begun\n");
  EXPECT_GE(result.meta.usage.cpu_ms, 1000U);
  EXPECT_LT(result.duration, seconds(30));
  ASSERT_TRUE(result.meta.kill);
  EXPECT_EQ(result.meta.kill->survivors, 0U);
}

TEST_P(CpuTimeOn, IsNotWhatTheBoxTookBefore) {
  ExecutionRequest request = python(
      "import time\nend = time.process_time() + 0.5\n"
      "while time.process_time() < end: pass\nprint('done')");
  request.limits.cpu_time = seconds(1);
  const CodeSandbox sandbox = sandbox_on(GetParam());
  for (int round = 0; round < 4; ++round) {  // the later ones in boxes that were made ahead
    const ExecutionResult result = sandbox.execute(request);
    EXPECT_EQ(result.stdout_text, "done\n") << to_json(result);
  }
}

INSTANTIATE_TEST_SUITE_P(EachBackend, CpuTimeOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

}  // namespace
}  // namespace lazaret::test
