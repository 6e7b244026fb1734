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

Json run(const ExecutionRequest& request) { return run_on("native", request); }

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

Measured measured(const ExecutionRequest& request) {
  const auto text = in_child(Caller::root, [&request] {
    const CodeSandbox sandbox = sandbox_on("native");
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

#ifdef LAZARET_SANITIZED
constexpr long kMostGrowthKib = 64L << 10;  // what was freed waits in the sanitizer's quarantine
#else
constexpr long kMostGrowthKib = 8L << 10;
#endif

TEST(NativeStreams, KeepHeadAndTailOfAGigabyteInEightMebibytes) {
  ExecutionRequest request =
      bash("echo HEAD; head -c 1073741824 /dev/zero | tr '\\0' x; echo; echo TAIL");
  request.limits.timeout = 100s;
  Measured run = measured(request);
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

TEST(NativeStreams, TakeALineOf128Megabytes) {
  ExecutionRequest request = bash("head -c 128000000 /dev/zero | tr '\\0' y >&2; echo end");
  request.limits.timeout = 60s;
  Measured run = measured(request);
  ASSERT_FALSE(run.result.empty());
  EXPECT_EQ(run.result["meta"]["output"]["stderr_bytes"], 128000000);
  EXPECT_EQ(run.result["stdout"], "end\n");
  EXPECT_LE(run.growth_kib, kMostGrowthKib);
}

TEST(NativeStreams, CountBothFloodsExactly) {
  Json result = run(
      bash("for i in 1 2 3 4; do head -c 1500000 /dev/zero; head -c 1000001 /dev/zero >&2; done"));
  EXPECT_EQ(result["meta"]["output"]["stdout_bytes"], 6000000);
  EXPECT_EQ(result["meta"]["output"]["stderr_bytes"], 4000004);
  EXPECT_EQ(result["exit_code"], 0);
}

// P-22
TEST(NativeStreams, NeitherBlockNorEndAProgramBeyondTheCap) {
  ExecutionRequest request =
      python("import sys\nsys.stdout.write('a' * 3000000)\nsys.stdout.flush()\nsys.exit(5)");
  request.limits.stdout_bytes = 1000;
  Json result = run(request);
  EXPECT_EQ(result["exit_code"], 5);
  EXPECT_EQ(result["meta"]["output"]["stdout_bytes"], 3000000);
}

// P-23
TEST(NativeStreams, AreCutBetweenCharacters) {
  ExecutionRequest request = python("print('漢' * 5000, end='')");
  request.limits.stdout_bytes = 1001;
  const auto text = run(request)["stdout"].get<std::string>();
  EXPECT_THAT(text, StartsWith("漢漢"));
  EXPECT_THAT(text, EndsWith("漢漢"));
  EXPECT_THAT(text, testing::Not(HasSubstr("\xEF\xBF\xBD")));
  EXPECT_THAT(text, HasSubstr("bytes omitted"));
}

TEST(NativeStreams, MayBeClosedEarly) {
  Json result = run(bash("echo before; exec >&- 2>&- <&-; sleep 0.3; exit 9"));
  EXPECT_EQ(result["exit_code"], 9) << result.dump();
  EXPECT_EQ(result["stdout"], "before\n");
}

TEST(NativeStreams, NeedNotBeRead) {
  ExecutionRequest request = bash("exit 3");
  request.stdin_data = std::string(1 << 20, 'i');
  Json result = run(request);
  EXPECT_EQ(result["exit_code"], 3) << result.dump();
}

TEST(NativeStreams, StayUnreadByAProgramThatRunsOn) {
  ExecutionRequest request = bash("sleep 0.5; echo over");
  request.stdin_data = std::string(1 << 20, 'i');
  EXPECT_EQ(run(request)["stdout"], "over\n");
}

// P-13
TEST(NativeStreams, DoNotWaitForAChildThatHoldsThemOpen) {
  const auto asked = std::chrono::steady_clock::now();
  Json result = run(bash("sleep 300 & echo parent"));
  EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(10));
  EXPECT_EQ(result["stdout"], "parent\n");
  EXPECT_EQ(result["meta"]["cause"], "exited");
  EXPECT_LT(result["duration"], 5);
}

TEST(NativeStreams, CarryNothingOfAProgramThatWritesOnEveryDescriptor) {
  Json result = run(bash(R"(
for ((fd = 3; fd <= 300; fd++)); do { printf '\001\002\003garbage{}\n' >&$fd; } 2>/dev/null; done
echo reached; exit 4)"));
  EXPECT_EQ(result["exit_code"], 4) << result.dump();
  EXPECT_EQ(result["stdout"], "reached\n");
  EXPECT_EQ(result["meta"]["cause"], "nonzero_exit");
  EXPECT_FALSE(result.contains("value"));
}

struct Forgery {
  const char* name;
  const char* bytes;
};

// The driver keeps the channel of a Python program on descriptor 250, in reach of the program
// itself.
class NativeValueChannel : public testing::TestWithParam<Forgery> {};

TEST_P(NativeValueChannel, BelievesNoForgery) {
  Json result =
      run(python(std::string("import os\nos.write(250, ") + GetParam().bytes + ")\nNone"));
  EXPECT_EQ(result["exit_code"], 0) << result.dump();
  EXPECT_EQ(result["meta"]["cause"], "exited");
  if (result.contains("error")) {
    EXPECT_EQ(result["error"]["type"], "SerializationError");
  }
  if (result.contains("value")) {
    EXPECT_EQ(result["value"], 1) << "only a whole and honest message may pass";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Bytes, NativeValueChannel,
    testing::Values(
        Forgery{"NoJson", "b'\\xff\\xfe\\x00 no json'"}, Forgery{"HalfAnObject", "b'{\"value\":'"},
        Forgery{"Deep", "b'[' * 100000"}, Forgery{"AnArray", "b'[1,2,3]'"},
        Forgery{"AnUnknownError", "b'{\"error\":{\"type\":\"BackendError\",\"message\":\"lie\"}}'"},
        Forgery{"ARuntimeError", "b'{\"error\":{\"type\":\"RuntimeError\",\"message\":\"lie\"}}'"},
        Forgery{"AForgedFate", "b'{\"exit_code\":0,\"timed_out\":true}'"},
        Forgery{"AnHonestValue", "b'{\"value\":1}'"}),
    [](const auto& given) { return given.param.name; });

TEST(NativeStreams, BoundAFloodOnTheValueChannel) {
  Json result = run(python(
      "import os\nblock = b'x' * 65536\nfor _ in range(256):\n    os.write(250, block)\nNone"));
  EXPECT_EQ(result["exit_code"], 0) << result.dump();
  EXPECT_EQ(result["error"]["type"], "SerializationError");
}

}  // namespace
}  // namespace lazaret::test
