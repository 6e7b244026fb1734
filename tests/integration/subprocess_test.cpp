#include <cerrno>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"

// L-20, L-38: a program that may start no other. The twin is the same guest in a box that allows
// it.
namespace lazaret::test {
namespace {

using testing::HasSubstr;

class SubprocessOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is named");
  }
  static Json run(ExecutionRequest request, Subprocess subprocess) {
    request.subprocess = subprocess;
    return run_on(GetParam(), request);
  }
  static Json seen_by_guest(Subprocess subprocess) {
    const Json result = run(python(guest("subprocess.py")), subprocess);
    EXPECT_EQ(result["exit_code"], 0) << result.dump();
    return Json::parse(result.value("stdout", ""), nullptr, false);
  }
};

INSTANTIATE_TEST_SUITE_P(Backend, SubprocessOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

constexpr const char* kWays[] = {"fork",     "raw_fork",        "raw_vfork", "clone",
                                 "spawn",    "subprocess",      "system",    "execve",
                                 "execveat", "execve_with_a_guess", "fork_in_a_thread"};

TEST_P(SubprocessOn, RefusesEveryWayToAnotherProgramAndKeepsThreads) {  // L-20, L-38, P-49
  Json seen = seen_by_guest(Subprocess::deny);
  for (const char* const way : kWays) EXPECT_EQ(seen[way], EPERM) << way;
  EXPECT_EQ(seen["clone3"], ENOSYS);  // so that the C library makes threads by clone
  EXPECT_EQ(seen["threads"], 8);
}

TEST_P(SubprocessOn, WouldLetThemAllThroughWithoutTheFilter) {
  Json seen = seen_by_guest(Subprocess::allow);
  for (const char* const way : kWays) EXPECT_EQ(seen[way], "made") << way;
  Json denied = seen_by_guest(Subprocess::deny);
  EXPECT_EQ(denied["filters"].get<int>(), seen["filters"].get<int>() + 1);
}

TEST_P(SubprocessOn, SaysInPythonWhatWasRefused) {
  const Json result = run(python("import subprocess\nsubprocess.run(['true'])"), Subprocess::deny);
  EXPECT_EQ(result["error"]["type"], "PermissionDenied") << result.dump();
  EXPECT_THAT(result["error"]["hint"].get<std::string>(), HasSubstr("--subprocess")) << "L-54";
  EXPECT_THAT(result.value("stderr", ""), HasSubstr("PermissionError"));
}

TEST_P(SubprocessOn, SaysInJavascriptWhatWasRefused) {  // L-54
  const Json result =
      run(code_request("javascript", "require('child_process').execFileSync('true')"),
          Subprocess::deny);
  EXPECT_EQ(result["error"]["type"], "PermissionDenied") << result.dump();
  EXPECT_THAT(result["error"]["hint"].get<std::string>(), HasSubstr("--subprocess"));
}

// Another refusal is not to be mended by letting processes be made.
TEST_P(SubprocessOn, AdvisesNothingOfProcessesWhereAFileWasRefused) {
  const Json result = run(python("open('/usr/new', 'w')"), Subprocess::deny);
  EXPECT_EQ(result["error"]["type"], "PermissionDenied") << result.dump();
  EXPECT_FALSE(result["error"].contains("hint")) << result.dump();
}

TEST_P(SubprocessOn, LetsBashDoWhatItDoesItself) {
  const Json result = run(bash("for i in 1 2 3; do printf $i; done; ls"), Subprocess::deny);
  EXPECT_EQ(result["stdout"], "123") << result.dump();
  EXPECT_NE(result["exit_code"], 0);
  EXPECT_THAT(result.value("stderr", ""), HasSubstr("Operation not permitted"));
}

TEST_P(SubprocessOn, LetsNodeHaveItsThreads) {
  const Json result = run(code_request("javascript", R"js(
const { Worker } = require("worker_threads");
const spawned = () => { try { return require("child_process").spawnSync("true").error?.code; }
                        catch (error) { return error.code; } };
console.log(spawned());
new Worker("require('worker_threads').parentPort.postMessage(6 * 7)", { eval: true })
  .on("message", (value) => console.log(value));
)js"),
                          Subprocess::deny);
  EXPECT_EQ(result["stdout"], "EPERM\n42\n") << result.dump();
}

TEST_P(SubprocessOn, LooksForAProgramInEveryDirectoryOfThePath) {
  const Json result = run(command({"env"}), Subprocess::deny);
  EXPECT_EQ(result["exit_code"], 0) << result.dump();
}

TEST_P(SubprocessOn, CarriesEvidenceOfWhatWasTried) {  // L-22, L-25
  for (const auto& [asked, applied] : {std::pair{Subprocess::deny, "second filter"},
                                       std::pair{Subprocess::allow, "allowed, as asked"}}) {
    const Json result = run(python("pass"), asked);
    for (const Json& piece : result["meta"]["evidence"]) {
      if (piece["control"] != "subprocess") continue;
      EXPECT_EQ(piece["status"], "enforced");
      EXPECT_THAT(piece.value("applied", ""), HasSubstr(applied));
    }
  }
}

}  // namespace
}  // namespace lazaret::test
