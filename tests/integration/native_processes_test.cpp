#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"

// However a run ends, nothing of it is alive afterwards: counted by a marker in the command line,
// from the host.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class NativeProcesses : public testing::TestWithParam<Caller> {
 protected:
  void SetUp() override {
    if (!can_be(GetParam())) LAZARET_SKIP_OR_FAIL("root", "this test is not run by root");
  }
  static Json run(const ExecutionRequest& request) { return run_as(GetParam(), request); }

  const std::string marker_ = unique_marker();

  [[nodiscard]] ExecutionRequest stubborn() const {
    ExecutionRequest request = python(guest("stubborn_tree.py"));
    request.arguments = {marker_};
    request.limits.timeout = 2500ms;
    request.limits.grace = 300ms;
    return request;
  }
};

INSTANTIATE_TEST_SUITE_P(AskedBy, NativeProcesses, testing::Values(Caller::root, Caller::user),
                         [](const auto& given) { return name_of(given.param); });

// P-01, P-03, P-06, P-08, P-12
TEST_P(NativeProcesses, EndsAFamilyThatIgnoresTermHidesInSessionsAndIsStopped) {  // L-30
  Json result = run(stubborn());
  EXPECT_EQ(result["meta"]["cause"], "timeout") << result.dump();
  EXPECT_EQ(result["stdout"], "the family is there\n");
  EXPECT_EQ(result["meta"]["kill"]["path"], "kill");
  EXPECT_EQ(result["meta"]["kill"]["survivors"], 0);
  EXPECT_THAT(processes_marked(marker_), testing::IsEmpty());
}

TEST_P(NativeProcesses, WouldOutliveAPlainKillWithoutABox) {
  const auto body = [this] {
    Invocation bare{.argv = {"/usr/bin/python3", "-c", guest("stubborn_tree.py"), marker_},
                    .bound = 4s};
    return std::to_string(run_program(bare).status);
  };
  ASSERT_TRUE(in_child(GetParam(), body));
  EXPECT_GE(processes_marked(marker_).size(), 2U);
  for (const pid_t process : processes_marked(marker_)) ::kill(process, SIGKILL);
  EXPECT_TRUE(becomes_true(5s, [this] { return processes_marked(marker_).empty(); }));
}

TEST_P(NativeProcesses, EndsChildrenThatOutliveTheProgram) {
  ExecutionRequest request = bash(
      "setsid python3 -c 'import time; time.sleep(300)' \"$1\" & disown; sleep 0.3; echo done");
  request.arguments = {marker_};
  Json result = run(request);
  EXPECT_EQ(result["meta"]["cause"], "exited") << result.dump();
  EXPECT_EQ(result["stdout"], "done\n");
  EXPECT_THAT(processes_marked(marker_), testing::IsEmpty());
}

TEST_P(NativeProcesses, KeepsWhatWasWrittenBeforeTheTimeout) {
  ExecutionRequest request =
      bash("echo early; echo trouble >&2; trap '' TERM; while :; do sleep 1; done");
  request.limits.timeout = 1500ms;
  request.limits.grace = 200ms;
  Json result = run(request);
  EXPECT_EQ(result["stdout"], "early\n");
  EXPECT_THAT(result.value("stderr", ""), HasSubstr("trouble"));
  EXPECT_EQ(result["timed_out"], true);
  EXPECT_EQ(result["exit_code"], -1);
}

TEST_P(NativeProcesses, AsksWithTermBeforeItKills) {  // L-26, L-27, L-29, L-39, L-50
  ExecutionRequest request =
      bash("trap 'echo obeyed; exit 7' TERM; echo ready; while :; do sleep 0.1; done");
  request.limits.timeout = 1500ms;
  request.limits.grace = 5s;
  Json result = run(request);
  EXPECT_EQ(result["stdout"], "ready\nobeyed\n") << result.dump();
  EXPECT_EQ(result["meta"]["kill"]["path"], "term");
  EXPECT_EQ(result["meta"]["cause"], "timeout");
  EXPECT_EQ(result["exit_code"], 7);
}

// P-07
TEST_P(NativeProcesses, SurvivesAnAttackOnItsFirstProcess) {
  Json result = run(bash(
      "kill -9 1; kill -STOP 1; kill -19 1; kill -SEGV 1; echo here; kill -STOP -1; echo still"));
  EXPECT_EQ(result["stdout"], "here\nstill\n") << result.dump();
  EXPECT_EQ(result["meta"]["cause"], "exited");
}

TEST_P(NativeProcesses, BoundsAProgramThatStopsItself) {
  ExecutionRequest request = bash("echo before; kill -STOP $$; echo after");
  request.limits.timeout = 1200ms;
  request.limits.grace = 200ms;
  Json result = run(request);
  EXPECT_EQ(result["meta"]["cause"], "timeout") << result.dump();
  EXPECT_THAT(result.value("stdout", ""), testing::StartsWith("before\n"));
}

TEST_P(NativeProcesses, ReapsZombiesOfOrphans) {
  Json result = run(python(R"py(
import os, time
def processes():  # zombies are among them
    return sum(map(str.isdigit, os.listdir("/proc")))
before = processes()
for _ in range(200):
    if os.fork() == 0:
        if os.fork() == 0:
            os._exit(0)
        os._exit(0)
    os.wait()
until = time.monotonic() + 10
while processes() > before and time.monotonic() < until:
    time.sleep(0.1)
print(processes() - before)
)py"));
  EXPECT_EQ(result["stdout"], "0\n") << result.dump();
}

TEST_P(NativeProcesses, EndsWhenTheCallerStopsIt) {
  const auto text = in_child(GetParam(), [this] {
    std::stop_source stop;
    ExecutionRequest request = bash("echo first; sleep 300; echo last");
    request.arguments = {marker_};
    request.stop = stop.get_token();
    request.on_output = [&stop](Stream, std::string_view) { stop.request_stop(); };
    return to_json(sandbox_on("native").execute(request));
  });
  ASSERT_TRUE(text);
  Json result = Json::parse(*text);
  EXPECT_EQ(result["meta"]["cause"], "cancelled") << result.dump();
  EXPECT_EQ(result["stdout"], "first\n");
  EXPECT_EQ(result["timed_out"], false);
  EXPECT_LT(result["duration"], 30);
  EXPECT_THAT(processes_marked(marker_), testing::IsEmpty());
}

// P-04
TEST_P(NativeProcesses, EndsWithTheProcessThatAskedForIt) {
  const pid_t caller = ::fork();
  if (caller == 0) {
    (void)in_child(GetParam(), [this] {
      // Set after the change of identity, which clears it.
      if (::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return std::string();
      ExecutionRequest request = stubborn();
      request.limits.timeout = 60s;
      return to_json(sandbox_on("native").execute(request));
    });
    ::_exit(0);
  }
  ASSERT_TRUE(becomes_true(10s, [this] { return processes_marked(marker_).size() >= 5; }));
  ::kill(caller, SIGKILL);
  ::waitpid(caller, nullptr, 0);
  EXPECT_TRUE(becomes_true(10s, [this] { return processes_marked(marker_).empty(); }));
}

}  // namespace
}  // namespace lazaret::test
