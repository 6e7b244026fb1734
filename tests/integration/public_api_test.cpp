#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"

// What a program that uses the library may rely on.
namespace lazaret::test {
namespace {

using testing::HasSubstr;

class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

TEST(PublicApi, RunsCodeWithNothingSaid) {
  const auto sandbox = SandboxFactory::from_environment();
  ASSERT_TRUE(sandbox.ok());
  const ExecutionResult result = sandbox->execute(python("print('hello')\n6 * 7"));
  EXPECT_TRUE(result.success());
  EXPECT_EQ(result.stdout_text, "hello\n");
  EXPECT_EQ(result.value, "42");
  EXPECT_EQ(result.meta.backend, "native");
}

TEST(PublicApi, FollowsTheTimeoutOfTheEnvironment) {
  const Variable timeout("SANDBOX_TIMEOUT_SEC", "7");
  const auto sandbox = SandboxFactory::from_environment();
  ASSERT_TRUE(sandbox.ok());
  EXPECT_EQ(sandbox->execute(bash("true")).meta.limits.timeout, std::chrono::seconds(7));
}

TEST(PublicApi, RefusesATypeThatIsNotOne) {
  const Variable type("SANDBOX_TYPE", "chroot");
  const auto sandbox = SandboxFactory::from_environment();
  ASSERT_FALSE(sandbox.ok());
  EXPECT_EQ(sandbox.error().code(), Errc::invalid_argument);
  EXPECT_THAT(sandbox.error().message() + sandbox.error().hint(), HasSubstr("docker"));
}

TEST(PublicApi, MovesASandboxAndLeavesTheOldOneHarmless) {
  CodeSandbox first = sandbox_on("native");
  CodeSandbox second = std::move(first);
  EXPECT_EQ(second.execute(bash("echo moved")).stdout_text, "moved\n");
  first = std::move(second);
  EXPECT_EQ(first.execute(bash("echo back")).stdout_text, "back\n");
}

class PublicApiOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
  }
};

INSTANTIATE_TEST_SUITE_P(EachBackend, PublicApiOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(PublicApiOn, RunsForEightThreadsAtOnceAndMixesNothingUp) {
  const CodeSandbox sandbox = sandbox_on(GetParam());
  std::vector<std::vector<ExecutionResult>> results(8);
  {
    std::vector<std::jthread> threads;
    for (std::size_t thread = 0; thread < results.size(); ++thread) {
      threads.emplace_back([&sandbox, &results, thread] {
        for (int round = 0; round < 3; ++round) {
          ExecutionRequest request = bash("cat; ls /work | wc -l; exit $1");
          request.stdin_data = "thread " + std::to_string(thread) + "\n";
          request.arguments = {std::to_string(thread * 10)};
          results[thread].push_back(sandbox.execute(request));
        }
      });
    }
  }
  for (std::size_t thread = 0; thread < results.size(); ++thread) {
    for (const ExecutionResult& result : results[thread]) {
      EXPECT_EQ(result.stdout_text, "thread " + std::to_string(thread) + "\n1\n")
          << to_json(result);
      EXPECT_EQ(result.exit_code, static_cast<int>(thread) * 10);
    }
  }
}

TEST_P(PublicApiOn, PassesOutputOnWhileTheProgramRuns) {
  std::string live;
  ExecutionRequest request = bash("echo one; echo two >&2; echo three");
  request.on_output = [&live](Stream stream, std::string_view bytes) {
    if (stream == Stream::standard_output) live += bytes;
  };
  const ExecutionResult result = sandbox_on(GetParam()).execute(request);
  EXPECT_EQ(live, "one\nthree\n");
  EXPECT_EQ(result.stdout_text, live);
}

TEST_P(PublicApiOn, StreamsInputFromTheCaller) {
  ExecutionRequest request = bash("while read -r line; do echo \"got $line\"; done");
  int pieces = 0;
  request.stdin_source = [&pieces](std::stop_token) {
    return ++pieces > 3 ? std::string() : "line " + std::to_string(pieces) + "\n";
  };
  EXPECT_EQ(sandbox_on(GetParam()).execute(request).stdout_text,
            "got line 1\ngot line 2\ngot line 3\n");
}

TEST_P(PublicApiOn, CarriesEvidenceOfEveryControl) {  // L-32, L-55
  const ExecutionResult result = sandbox_on(GetParam()).execute(bash("true"));
  for (const Control control : all_controls()) {
    const auto& evidence = result.meta.evidence;
    const auto piece =
        std::find_if(evidence.begin(), evidence.end(),
                     [control](const Evidence& each) { return each.control == control; });
    ASSERT_NE(piece, evidence.end()) << name_of(control);
    EXPECT_FALSE(piece->verified_by.empty()) << name_of(control);
    if (default_required_controls().contains(control)) {
      EXPECT_EQ(piece->status, EvidenceStatus::enforced)
          << name_of(control) << ": " << piece->applied;
    }
  }
}

// Whatever else runs in the process: no error is given that the program could look at.
TEST_P(PublicApiOn, EndsAtOnceWhoWantsToEndTheMachine) {
  constexpr const char* kCode = R"py(
import ctypes, os
reboot = {"x86_64": 169, "aarch64": 142}[os.uname().machine]
ctypes.CDLL(None).syscall(reboot, 1, 2, 3, 0)
print("still there")
)py";
  const ExecutionResult result = sandbox_on(GetParam()).execute(python(kCode));
  EXPECT_EQ(result.meta.signal, SIGSYS);
  EXPECT_EQ(result.meta.cause, Cause::signalled);
  EXPECT_EQ(result.stdout_text, "");
}

TEST_P(PublicApiOn, GivesIntegersOfAnyLengthAsTheyAre) {
  const CodeSandbox sandbox = sandbox_on(GetParam());
  const ExecutionResult result = sandbox.execute(python("[2 ** 64 + 1, -(3 ** 99), 2 ** 63]"));
  EXPECT_EQ(result.value,
            "[18446744073709551617,-171792506910670443678820376588540424234035840667,"
            "9223372036854775808]");
  EXPECT_NE(to_json(result).find("18446744073709551617"), std::string::npos);
}

TEST_P(PublicApiOn, NeverUsesABoxTwice) {
  const CodeSandbox sandbox = sandbox_on(GetParam());
  (void)sandbox.execute(bash("echo left > /work/left; echo left > /tmp/left"));
  EXPECT_EQ(sandbox.execute(bash("ls -A /work /tmp")).stdout_text, "/tmp:\n\n/work:\nmain.sh\n");
}

}  // namespace
}  // namespace lazaret::test
