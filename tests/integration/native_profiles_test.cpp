#include <cerrno>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"

// What the profiles and the loopback change, asked for by root and by an ordinary user. The
// standard profile is the twin of the others.
namespace lazaret::test {
namespace {

using testing::HasSubstr;

class NativeProfiles : public testing::TestWithParam<Caller> {
 protected:
  void SetUp() override {
    if (!can_be(GetParam())) LAZARET_SKIP_OR_FAIL("root", "this test is not run by root");
  }
  static Json seen(Profile profile, const std::string& code) {
    ExecutionRequest request = python(code);
    request.profile = profile;
    request.subprocess = Subprocess::allow;
    const Json result = run_as(GetParam(), request);
    EXPECT_EQ(result.value("exit_code", -2), 0) << result.dump();
    return Json::parse(result.value("stdout", ""), nullptr, false);
  }
};

INSTANTIATE_TEST_SUITE_P(AskedBy, NativeProfiles, testing::Values(Caller::root, Caller::user),
                         [](const auto& given) { return name_of(given.param); });

constexpr const char* kFiles = R"py(
import json, os, subprocess
def answer(attempt):
    try:
        attempt()
        return 0
    except OSError as error:
        return error.errno
def execute(path, content="#!/bin/sh\n"):
    with open(path, "w") as file:
        file.write(content)
    os.chmod(path, 0o755)
    subprocess.run([path], check=True)
def from_memory():
    os.close(os.memfd_create("program"))
print(json.dumps({
    "tmp": answer(lambda: open("/tmp/test.txt", "w").close()),
    "var_tmp": answer(lambda: open("/var/tmp/test.txt", "w").close()),
    "work": answer(lambda: open("/work/test.txt", "w").close()),
    "shm": answer(lambda: open("/dev/shm/test.txt", "w").close()),
    "program": answer(lambda: execute("/work/program")),
    "memory": answer(from_memory),
    "passwd": answer(lambda: open("/etc/passwd").close()),
    "group": answer(lambda: open("/etc/group").close()),
    "hosts": answer(lambda: open("/etc/hosts").close()),
    "temporary": os.environ["TMPDIR"],
}))
)py";

TEST_P(NativeProfiles, StrictHasWorkAloneAndNothingToExecuteInIt) {  // C-12, D-30, D-31
  Json strict = seen(Profile::strict, kFiles);
  EXPECT_EQ(strict["tmp"], EROFS);
  EXPECT_EQ(strict["var_tmp"], EROFS);
  EXPECT_EQ(strict["work"], 0);
  EXPECT_EQ(strict["shm"], 0);
  EXPECT_EQ(strict["program"], EACCES);
  EXPECT_EQ(strict["memory"], EPERM);
  EXPECT_EQ(strict["passwd"], ENOENT);
  EXPECT_EQ(strict["group"], ENOENT);
  EXPECT_EQ(strict["hosts"], 0);
  EXPECT_EQ(strict["temporary"], "/work");
}

TEST_P(NativeProfiles, StandardHasAllThat) {
  Json standard = seen(Profile::standard, kFiles);
  for (const char* const name : {"tmp", "var_tmp", "work", "shm", "program", "memory", "passwd"}) {
    EXPECT_EQ(standard[name], 0) << name;
  }
  EXPECT_EQ(standard["temporary"], "/tmp");
}

TEST_P(NativeProfiles, StrictDeniesSubprocessesUnlessTheyAreAskedFor) {
  ExecutionRequest request = python("import os\nprint(os.posix_spawn('/bin/true', ['true'], {}))");
  request.profile = Profile::strict;
  const Json denied = run_as(GetParam(), request);
  EXPECT_EQ(denied["error"]["type"], "PermissionDenied") << denied.dump();
  request.subprocess = Subprocess::allow;
  EXPECT_EQ(run_as(GetParam(), request).value("exit_code", -2), 0);
}

TEST_P(NativeProfiles, StrictRunsEveryLanguage) {
  for (const auto& request :
       {python("print(42)"), bash("echo 42"), code_request("javascript", "console.log(42)")}) {
    ExecutionRequest strict = request;
    strict.profile = Profile::strict;
    const Json result = run_as(GetParam(), strict);
    EXPECT_EQ(result.value("stdout", ""), "42\n") << result.dump();
  }
}

// A child that asks to be traced, its memory read; then the runner.
constexpr const char* kTrace = R"py(
import ctypes, json, os, signal
libc = ctypes.CDLL(None, use_errno=True)
TRACEME, ATTACH = 0, 16
pid = os.fork()
if pid == 0:
    asked = libc.ptrace(TRACEME, 0, 0, 0)
    os.kill(os.getpid(), signal.SIGSTOP) if asked == 0 else os._exit(ctypes.get_errno())
    os._exit(0)
status = os.waitpid(pid, 0)[1]
if os.WIFSTOPPED(status):
    os.kill(pid, signal.SIGKILL)
attached = libc.ptrace(ATTACH, 1, 0, 0)
print(json.dumps({"child": 0 if os.WIFSTOPPED(status) else os.WEXITSTATUS(status),
                  "runner": 0 if attached == 0 else ctypes.get_errno()}))
)py";

TEST_P(NativeProfiles, DevTracesItsOwnButNeverTheRunner) {
  Json dev = seen(Profile::dev, kTrace);
  EXPECT_EQ(dev["child"], 0);
  EXPECT_EQ(dev["runner"], EPERM);
  EXPECT_EQ(seen(Profile::standard, kTrace)["child"], EPERM);
}

TEST_P(NativeProfiles, HoldTheRequiredControlsAllAlike) {  // L-01
  for (const Profile profile : {Profile::dev, Profile::standard, Profile::strict}) {
    ExecutionRequest request = python("pass");
    request.profile = profile;
    const Json result = run_as(GetParam(), request);
    for (const Json& piece : result["meta"]["evidence"]) {
      const auto control = control_named(piece.value("control", ""));
      if (!default_required_controls().contains(*control)) continue;
      EXPECT_EQ(piece["status"], "enforced") << name_of(profile) << piece.dump();
    }
  }
}

constexpr const char* kTalk = R"py(
import socket
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen()
client = socket.create_connection(server.getsockname(), timeout=5)
client.sendall(b"to myself")
print(server.accept()[0].recv(16).decode())
)py";

class NativeLoopback : public NativeProfiles {
 protected:
  static Json talk(Loopback loopback) {
    ExecutionRequest request = python(kTalk);
    request.loopback = loopback;
    return run_as(GetParam(), request);
  }
};

INSTANTIATE_TEST_SUITE_P(AskedBy, NativeLoopback, testing::Values(Caller::root, Caller::user),
                         [](const auto& given) { return name_of(given.param); });

TEST_P(NativeLoopback, CarriesAProgramsWordsToItselfOnlyWhereItIsUp) {  // L-13
  const Json up = talk(Loopback::up);
  EXPECT_EQ(up.value("stdout", ""), "to myself\n") << up.dump();
  const Json down = talk(Loopback::down);
  EXPECT_NE(down.value("exit_code", -2), 0);
  EXPECT_THAT(down.value("stderr", ""), HasSubstr("not supported"));
}

// Networks are used again.
TEST_P(NativeLoopback, IsDownWhereItWasUpForAnotherBox) {
  ExecutionRequest up = python(kTalk), down = python("open('/proc/self/net/fib_trie').read()");
  up.loopback = Loopback::up;
  const auto text = in_child(GetParam(), [&] {
    const CodeSandbox sandbox = sandbox_on("native");
    Json results = Json::array();
    for (const ExecutionRequest& request : {up, down, up, down, down, down})
      results.push_back(Json::parse(to_json(sandbox.execute(request))));
    return results.dump();
  });
  Json results = Json::parse(text.value_or("[]"));
  ASSERT_EQ(results.size(), 6U);
  EXPECT_EQ(results[0]["stdout"], "to myself\n") << results[0];
  for (const std::size_t without : {1U, 3U, 4U, 5U}) {
    EXPECT_EQ(results[without]["value"], "") << results[without];
    EXPECT_THAT(evidence_of(results[without], "network").value("applied", ""),
                HasSubstr("lo down"));
  }
}

TEST_P(NativeLoopback, SaysInTheEvidenceThatItIsUp) {
  const Json network = evidence_of(talk(Loopback::up), "network");
  EXPECT_EQ(network["status"], "enforced");
  EXPECT_EQ(network["requested"], "loopback");
  EXPECT_THAT(network.value("applied", ""), HasSubstr("up within the box, no route out"));
}

}  // namespace
}  // namespace lazaret::test
