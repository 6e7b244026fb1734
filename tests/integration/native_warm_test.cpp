#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/boxes.hpp"
#include "integration/spawners.hpp"
#include "integration/support.hpp"

// Boxes made ahead by a sandbox that is kept.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;

class NativeWarm : public testing::TestWithParam<Caller> {
 protected:
  void SetUp() override {
    if (!can_be(GetParam())) LAZARET_SKIP_OR_FAIL("root", "this test is not run by root");
  }
  static void expect_silence(const std::function<std::string()>& body) {
    EXPECT_EQ(in_child(GetParam(), body), "");
  }
};

INSTANTIATE_TEST_SUITE_P(AskedBy, NativeWarm, testing::Values(Caller::root, Caller::user),
                         [](const auto& given) { return name_of(given.param); });

// Twice, so that it pays to make one ahead, and until one is there.
void warm_up(const CodeSandbox& sandbox, const ExecutionRequest& request) {
  for (int time = 0; time < 3; ++time) (void)sandbox.execute(request);
  std::this_thread::sleep_for(200ms);
}

// But for what differs between any two runs.
Json evidence_of(const ExecutionResult& result) {
  return Json::parse(to_json(result))["meta"]["evidence"];
}

TEST_P(NativeWarm, GivesTheSameEvidenceAndUsesNoBoxTwice) {
  expect_silence([]() -> std::string {
    const CodeSandbox sandbox = sandbox_on("native");
    const ExecutionRequest request = bash("ls /work /tmp; touch /work/mark /tmp/mark");
    const ExecutionResult cold = sandbox.execute(request);
    warm_up(sandbox, request);
    for (int run = 0; run < 50; ++run) {
      const ExecutionResult warm = sandbox.execute(request);
      if (!warm.success() || evidence_of(warm) != evidence_of(cold)) return to_json(warm);
      if (warm.stdout_text != cold.stdout_text) return "used before: " + warm.stdout_text;
    }
    return "";
  });
}

TEST_P(NativeWarm, MakesNoneForARequestThatNeedsAnother) {
  expect_silence([]() -> std::string {
    const CodeSandbox sandbox = sandbox_on("native");
    ExecutionRequest request = bash("ulimit -n; ulimit -u; stat -f -c %b /work");
    warm_up(sandbox, request);
    request.limits.open_files = 100;
    request.limits.pids = 20;
    request.limits.disk_bytes = 8 << 20;
    const ExecutionResult other = sandbox.execute(request);
    return other.stdout_text == "100\n20\n2048\n" ? "" : to_json(other);
  });
}

// Its spawner killed while they wait: the next run does not notice.
TEST_P(NativeWarm, ReplacesUnnoticedWhatDiesWhileItWaits) {
  expect_silence([]() -> std::string {
    const CodeSandbox sandbox = sandbox_on("native");
    const ExecutionRequest request = bash("echo here");
    for (int time = 0; time < 3; ++time) {
      warm_up(sandbox, request);
      const std::vector<pid_t> spawners = spawners_of(::getpid());
      signal_all(spawners, SIGKILL);
      if (!becomes_true(10s, [&] { return are_gone(spawners); })) return "they live";
      const ExecutionResult next = sandbox.execute(request);
      if (next.stdout_text != "here\n" || !next.success()) return to_json(next);
    }
    return "";
  });
}

TEST_P(NativeWarm, BurnsNothingWhileItWaits) {
  expect_silence([]() -> std::string {
    const CodeSandbox sandbox = sandbox_on("native");
    warm_up(sandbox, bash("true"));
    const auto used = [] {
      rusage own{};
      ::getrusage(RUSAGE_SELF, &own);
      return own.ru_utime.tv_sec * 1000000 + own.ru_utime.tv_usec + own.ru_stime.tv_sec * 1000000 +
             own.ru_stime.tv_usec;
    };
    const auto is_quiet = [&used] {
      const auto before = used();
      std::this_thread::sleep_for(500ms);
      return used() - before < 5000;
    };
    const auto box_is_quiet = [] {
      return rest([] { return descendants_of(::getpid()); }, "bash");
    };
    // They may still be in the making at first.
    if (!becomes_true(20s, is_quiet)) return "it is busy";
    return becomes_true(20s, box_is_quiet) ? "" : "its box is busy";
  });
}

TEST_P(NativeWarm, LeavesNothingWhenTheSandboxGoes) {
  expect_silence([]() -> std::string {
    const std::size_t before = descriptors_of(::getpid());
    {
      const CodeSandbox sandbox = sandbox_on("native");
      warm_up(sandbox, bash("true"));
      if (spawners_of(::getpid()).empty()) return "there was nothing to leave";
    }
    if (!spawners_of(::getpid()).empty()) return "a spawner is left";
    return descriptors_of(::getpid()) == before ? "" : "descriptors are left";
  });
}

// A fork has a copy of the sandbox, but not its threads.
TEST_P(NativeWarm, IsColdInAForkAndTakesNothingFromItsParent) {
  expect_silence([]() -> std::string {
    CodeSandbox sandbox = sandbox_on("native");
    const ExecutionRequest request = bash("echo here");
    warm_up(sandbox, request);
    const pid_t child = ::fork();
    if (child == 0) {
      const bool ran = sandbox.execute(request).stdout_text == "here\n";
      { const CodeSandbox gone = std::move(sandbox); }
      ::_exit(ran ? 0 : 1);
    }
    int status = -1;
    if (::waitpid(child, &status, 0) != child || status != 0) return "the fork could not run";
    const ExecutionResult own = sandbox.execute(request);
    return own.stdout_text == "here\n" ? "" : to_json(own);
  });
}

}  // namespace
}  // namespace lazaret::test
