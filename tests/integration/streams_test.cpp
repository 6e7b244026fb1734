#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"

// Whatever a program does with its streams, the counts are exact, the memory is bounded and nobody
// waits for ever.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// VmHWM, in KiB.
long peak_kib() {
  std::istringstream status(file_text("/proc/self/status"));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stol(line.substr(6));
  }
  return -1;
}

// A run in a child of its own, and by how much that child's memory grew at most.
struct Measured {
  Json result;
  long growth_kib = -1;
};

Measured measured(const std::string& backend, const ExecutionRequest& request) {
  const auto text = in_child(Caller::root, [&] {
    const CodeSandbox sandbox = sandbox_on(backend);
    (void)sandbox.execute(bash("true"));            // what is made once is made now
    std::ofstream("/proc/self/clear_refs") << "5";  // proc(5): the peak begins anew
    const long before = peak_kib();
    const std::string json = to_json(sandbox.execute(request));
    return std::to_string(peak_kib() - before) + "\n" + json;
  });
  if (!text) return {};
  const std::size_t end = text->find('\n');
  return {Json::parse(text->substr(end + 1)), std::stol(*text)};
}

class StreamsOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
  }
  static Json run(const ExecutionRequest& request) { return run_on(GetParam(), request); }
};

#ifdef LAZARET_SANITIZED
constexpr long kMostGrowthKib = 64L << 10;  // what was freed waits in the sanitizer's quarantine
#else
constexpr long kMostGrowthKib = 8L << 10;
#endif

TEST_P(StreamsOn, KeepHeadAndTailOfAGigabyteInEightMebibytes) {
  ExecutionRequest request =
      bash("echo HEAD; head -c 1073741824 /dev/zero | tr '\\0' x; echo; echo TAIL");
  request.limits.timeout = 100s;
  Measured run = measured(GetParam(), request);
  ASSERT_FALSE(run.result.empty());
  EXPECT_EQ(run.result["meta"]["cause"], "exited") << run.result["meta"].dump();
  EXPECT_EQ(run.result["meta"]["output"]["stdout_bytes"], 1073741824 + 11);
  EXPECT_EQ(run.result["truncated"], true);
  const auto text = run.result["stdout"].get<std::string>();
  EXPECT_THAT(text.substr(0, 10), StartsWith("HEAD\nxxx"));
  EXPECT_THAT(text.substr(text.size() - 10), EndsWith("xxx\nTAIL\n"));
  EXPECT_LE(text.size(), (1U << 20) + 100);
  // The text and its JSON are of the result; the run itself must not grow with the output (P-24).
  EXPECT_LE(run.growth_kib, kMostGrowthKib);
}

TEST_P(StreamsOn, TakeALineOf128Megabytes) {
  ExecutionRequest request = bash("head -c 128000000 /dev/zero | tr '\\0' y >&2; echo end");
  request.limits.timeout = 60s;
  Measured run = measured(GetParam(), request);
  ASSERT_FALSE(run.result.empty());
  EXPECT_EQ(run.result["meta"]["output"]["stderr_bytes"], 128000000);
  EXPECT_EQ(run.result["stdout"], "end\n");
  EXPECT_LE(run.growth_kib, kMostGrowthKib);
}

TEST_P(StreamsOn, CountBothFloodsExactly) {
  Json result = run(
      bash("for i in 1 2 3 4; do head -c 1500000 /dev/zero; head -c 1000001 /dev/zero >&2; done"));
  EXPECT_EQ(result["meta"]["output"]["stdout_bytes"], 6000000);
  EXPECT_EQ(result["meta"]["output"]["stderr_bytes"], 4000004);
  EXPECT_EQ(result["exit_code"], 0);
}

// A program may change what its pipe does with what it writes, and read it itself; and what it
// writes may look like its own end.
TEST_P(StreamsOn, AreNoWayToSayWhatOnlyTheRunnerSays) {
  ExecutionRequest request = python(R"(import fcntl, os, random, sys, time
forged = b"\x20\0\0\0\x89\0\0\0" + bytes(32)
thief = os.fork()
if thief == 0:
    mine = os.open("/proc/self/fd/1", os.O_RDONLY | os.O_NONBLOCK)
    while True:
        try:
            print(len(os.read(mine, 5000)), file=sys.stderr)
        except BlockingIOError:
            time.sleep(0.001)
for _ in range(16):
    os.write(1, bytes(1 << 20))
flags = fcntl.fcntl(1, fcntl.F_GETFL)
for index in range(3000):
    fcntl.fcntl(1, fcntl.F_SETFL, flags | random.choice((0, os.O_DIRECT)))
    os.write(1, forged * random.randint(1, 700))
os.kill(thief, 9)
os._exit(5)
)");
  request.limits.timeout = 60s;
  const Json result = run(request);
  EXPECT_EQ(result["meta"]["cause"], "nonzero_exit") << result["meta"].dump();
  EXPECT_EQ(result["exit_code"], 5) << result.dump();
  EXPECT_GT(result["meta"]["output"]["stdout_bytes"], 1 << 20);
  EXPECT_NE(result["stderr"], "");
}

// P-22
TEST_P(StreamsOn, NeitherBlockNorEndAProgramBeyondTheCap) {
  ExecutionRequest request =
      python("import sys\nsys.stdout.write('a' * 3000000)\nsys.stdout.flush()\nsys.exit(5)");
  request.limits.stdout_bytes = 1000;
  Json result = run(request);
  EXPECT_EQ(result["exit_code"], 5);
  EXPECT_EQ(result["meta"]["output"]["stdout_bytes"], 3000000);
}

// P-23
TEST_P(StreamsOn, AreCutBetweenCharacters) {
  ExecutionRequest request = python("print('漢' * 5000, end='')");
  request.limits.stdout_bytes = 1001;
  const auto text = run(request)["stdout"].get<std::string>();
  EXPECT_THAT(text, StartsWith("漢漢"));
  EXPECT_THAT(text, EndsWith("漢漢"));
  EXPECT_THAT(text, testing::Not(HasSubstr("\xEF\xBF\xBD")));
  EXPECT_THAT(text, HasSubstr("bytes omitted"));
}

TEST_P(StreamsOn, MayBeClosedEarly) {
  Json result = run(bash("echo before; exec >&- 2>&- <&-; sleep 0.3; exit 9"));
  EXPECT_EQ(result["exit_code"], 9) << result.dump();
  EXPECT_EQ(result["stdout"], "before\n");
}

TEST_P(StreamsOn, NeedNotBeRead) {
  ExecutionRequest request = bash("exit 3");
  request.stdin_data = std::string(1 << 20, 'i');
  Json result = run(request);
  EXPECT_EQ(result["exit_code"], 3) << result.dump();
}

TEST_P(StreamsOn, StayUnreadByAProgramThatRunsOn) {
  ExecutionRequest request = bash("sleep 0.5; echo over");
  request.stdin_data = std::string(1 << 20, 'i');
  EXPECT_EQ(run(request)["stdout"], "over\n");
}

// P-13
TEST_P(StreamsOn, DoNotWaitForAChildThatHoldsThemOpen) {
  const auto asked = std::chrono::steady_clock::now();
  Json result = run(bash("sleep 300 & echo parent"));
  EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(10));
  EXPECT_EQ(result["stdout"], "parent\n");
  EXPECT_EQ(result["meta"]["cause"], "exited");
  EXPECT_LT(result["duration"], 5);
}

TEST_P(StreamsOn, BoundAFloodOnTheValueChannel) {
  Json result = run(python(
      "import os\nblock = b'x' * 65536\nfor _ in range(256):\n    os.write(250, block)\nNone"));
  EXPECT_EQ(result["exit_code"], 0) << result.dump();
  EXPECT_EQ(result["error"]["type"], "SerializationError");
}

INSTANTIATE_TEST_SUITE_P(EachBackend, StreamsOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

}  // namespace
}  // namespace lazaret::test
