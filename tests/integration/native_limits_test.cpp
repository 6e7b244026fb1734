#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "integration/support.hpp"

// Every bound of a box is met by a program that wants more: at the bound it works, beyond it not.
namespace lazaret::test {
namespace {

using testing::AnyOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class NativeLimits : public testing::TestWithParam<Caller> {
 protected:
  void SetUp() override {
    if (!can_be(GetParam())) LAZARET_SKIP_OR_FAIL("root", "this test is not run by root");
  }
  static Json run(const ExecutionRequest& request) { return run_as(GetParam(), request); }
  // What the program printed as JSON.
  static Json printed(const ExecutionRequest& request) {
    Json result = run(request);
    EXPECT_EQ(result.value("exit_code", -2), 0) << result.dump();
    return Json::parse(result.value("stdout", ""), nullptr, false);
  }
};

INSTANTIATE_TEST_SUITE_P(AskedBy, NativeLimits, testing::Values(Caller::root, Caller::user),
                         [](const auto& given) { return name_of(given.param); });

TEST_P(NativeLimits, StopsWritingAtTheBoundOfTheDisk) {
  ExecutionRequest request = python(R"(
import errno, json
def filled(folder):
    written = 0
    try:
        for index in range(64):
            with open(f"{folder}/{index}", "wb", buffering=0) as file:
                for _ in range(16):
                    written += file.write(bytes(65536))
    except OSError as error:
        return [errno.errorcode[error.errno], written]
    return ["no end", written]
print(json.dumps({folder: filled(folder) for folder in ("/work", "/tmp", "/dev/shm")}))
)");
  constexpr int kRoom = 8 << 20;
  request.limits.disk_bytes = kRoom;
  Json seen = printed(request);
  for (const char* const folder : {"/work", "/tmp", "/dev/shm"}) {
    EXPECT_EQ(seen[folder][0], "ENOSPC") << folder;
    EXPECT_LE(seen[folder][1], kRoom) << folder;
    EXPECT_GE(seen[folder][1], kRoom - (1 << 20)) << folder;
  }
}

TEST_P(NativeLimits, StopsMakingFilesAtTheBoundOfInodes) {
  ExecutionRequest request = python(R"(
import errno, json, os
made = 0
try:
    while made < 100000:
        os.close(os.open(f"/tmp/{made}", os.O_CREAT | os.O_WRONLY))
        made += 1
except OSError as error:
    print(json.dumps([errno.errorcode[error.errno], made]))
)");
  request.limits.disk_files = 500;
  Json seen = printed(request);
  EXPECT_EQ(seen[0], "ENOSPC");
  EXPECT_GE(seen[1], 490);
  EXPECT_LE(seen[1], 500);
}

TEST_P(NativeLimits, EndsAProgramThatWritesAFileBeyondTheBound) {
  ExecutionRequest request =
      bash("head -c 2000000 /dev/zero > big; exec head -c 9000000 /dev/zero > bigger");
  request.limits.file_bytes = 4 << 20;
  Json result = run(request);
  EXPECT_EQ(result["meta"]["cause"], "file_size_limit") << result.dump();
  EXPECT_EQ(result["meta"]["signal"], 25);
}

TEST_P(NativeLimits, KeepsAForkBombSmall) {  // L-04
  ExecutionRequest request = python(R"(
import errno, os, time
children, refusal = 0, None
for _ in range(500):
    try:
        pid = os.fork()
    except OSError as error:
        refusal = errno.errorcode[error.errno]
        break
    if pid == 0:
        time.sleep(30)
        os._exit(0)
    children += 1
print(children, refusal)
)");
  request.limits.pids = 24;
  Json result = run(request);
  const auto text = result.value("stdout", "");
  EXPECT_THAT(text, HasSubstr("EAGAIN")) << result.dump();
  EXPECT_LE(std::atoi(text.c_str()), 24);
  EXPECT_GE(std::atoi(text.c_str()), 20);
}

TEST_P(NativeLimits, OutlivesAForkBombInAShell) {
  const std::string marker = unique_marker();
  ExecutionRequest request = bash("bomb() { bomb | bomb & }; bomb; sleep 60");
  request.arguments = {marker};
  request.limits.timeout = std::chrono::milliseconds(1500);
  request.limits.grace = std::chrono::milliseconds(300);
  Json result = run(request);
  EXPECT_THAT(result["meta"].value("cause", ""),
              AnyOf("timeout", "exited", "nonzero_exit", "pids_limit"));
  EXPECT_THAT(processes_marked(marker), testing::IsEmpty());
}

TEST_P(NativeLimits, BoundsTheMemoryOfPython) {  // L-03
  ExecutionRequest request = python(R"(
blocks = []
try:
    while True:
        blocks.append(bytearray(8 << 20))
except MemoryError:
    count = len(blocks)
    blocks.clear()
    print(count * 8)
)");
  request.limits.memory_bytes = 128 << 20;
  Json result = run(request);
  const std::string cause = result["meta"].value("cause", "");
  ASSERT_THAT(cause, AnyOf("exited", "memory_limit")) << result.dump();
  if (cause == "exited") {
    EXPECT_LE(std::atoi(result["stdout"].get<std::string>().c_str()), 128);
  }
}

TEST_P(NativeLimits, BoundsTheDescriptorsOfAProcess) {  // L-05
  ExecutionRequest request = python(R"(
import errno, json, os
opened = []
try:
    while True:
        opened.append(os.open("/dev/null", os.O_RDONLY))
except OSError as error:
    for each in opened:
        os.close(each)
    print(json.dumps([errno.errorcode[error.errno], max(opened)]))
)");
  request.limits.open_files = 40;
  Json seen = printed(request);
  EXPECT_EQ(seen[0], "EMFILE");
  EXPECT_EQ(seen[1], 39);
}

// A box is nobody's favourite: real-time tasks are outside of every bandwidth, and what the kernel
// may not end for want of memory has no bound on it.
TEST_P(NativeLimits, LendsNothingOfWhatFavoursItsCaller) {
  const auto body = [] {
    const rlimit favoured{50, 50};
    (void)::setrlimit(RLIMIT_RTPRIO, &favoured);
    (void)::setrlimit(RLIMIT_NICE, &favoured);
    std::ofstream("/proc/self/oom_score_adj") << "-900";
    const ExecutionRequest request = python(R"(
import resource
score = int(open("/proc/self/oom_score_adj").read())
print(resource.getrlimit(14), resource.getrlimit(13), score >= 500)
)");
    return sandbox_on("native").execute(request).stdout_text;
  };
  EXPECT_EQ(in_child(GetParam(), body), "(0, 0) (0, 0) True\n");
}

// sched(7), ioprio_set(2)
TEST_P(NativeLimits, LendsNothingOfItsCallersPlaceInTheQueue) {
  const auto body = [] {
    constexpr int kProcess = 1, kRealTimeDisk = 1 << 13;
    const sched_param first{10};
    const bool favoured[] = {::setpriority(PRIO_PROCESS, 0, -5) == 0,
                             ::syscall(SYS_ioprio_set, kProcess, 0, kRealTimeDisk) == 0,
                             ::sched_setscheduler(0, SCHED_RR, &first) == 0};
    const ExecutionRequest request = python(
        "import ctypes, os\n"
        "disk = ctypes.CDLL(None).syscall(" +
        std::to_string(SYS_ioprio_get) +
        ", 1, 0)\n"
        "print(os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0), disk >> 13)\n");
    return sandbox_on("native").execute(request).stdout_text +
           std::to_string(std::ranges::count(favoured, true));
  };
  const std::string seen = in_child(GetParam(), body).value_or("");
  // A user who has been put behind others cannot come back from there.
  const int behind = std::max(0, ::getpriority(PRIO_PROCESS, 0));
  const std::string start = "0 " + std::to_string(GetParam() == Caller::root ? 0 : behind);
  // Best effort or none, which follows the nice value: the kernel tells either.
  EXPECT_THAT(seen, AnyOf(StartsWith(start + " 0\n"), StartsWith(start + " 2\n")));
  if (GetParam() == Caller::root) {
    EXPECT_THAT(seen, EndsWith("3")) << "root could not favour itself: this proves less";
  }
}

// P-53
TEST_P(NativeLimits, ShowsAsManyProcessorsAsItGives) {
  const auto processors = [](double cpus) {
    ExecutionRequest request =
        python("import json, os\nprint(json.dumps(len(os.sched_getaffinity(0))))");
    request.limits.cpus = cpus;
    return printed(request);
  };
  EXPECT_EQ(processors(1.0), 1);
  EXPECT_EQ(processors(0.5), 1);
  EXPECT_EQ(processors(2.0), std::min(2U, std::thread::hardware_concurrency()));
}

TEST_P(NativeLimits, LetsNobodyRaiseALimit) {  // L-06, L-35
  Json seen = printed(python(R"(
import json, resource
names = ("RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_CORE", "RLIMIT_NPROC", "RLIMIT_MEMLOCK")
raised = []
for name in names:
    kind = getattr(resource, name)
    hard = resource.getrlimit(kind)[1]
    try:
        resource.setrlimit(kind, (hard + 1, hard + 1))
        raised.append(name)
    except (ValueError, OSError):
        pass
print(json.dumps(raised))
)"));
  EXPECT_EQ(seen, Json::array());
}

// What a caller may have much of, and no program of a box needs.
TEST_P(NativeLimits, HasLittleOfWhatTheKernelKeepsForIt) {  // L-06
  const auto answer = in_child(GetParam(), [] {
    const rlimit much{1 << 20, 1 << 20};
    ::setrlimit(RLIMIT_MSGQUEUE, &much), ::setrlimit(RLIMIT_MEMLOCK, &much);
    return to_json(sandbox_on("native").execute(bash("ulimit -Hq; ulimit -q; ulimit -Hl")));
  });
  ASSERT_TRUE(answer);
  EXPECT_EQ(Json::parse(*answer)["stdout"], "65536\n65536\n64\n");
}

// setrlimit(2): what somebody has lowered for himself, only a capability raises again.
TEST_P(NativeLimits, HoldsTheCallersOwnWhereThoseAreLower) {
  const auto answer = in_child(GetParam(), [] {
    const rlimit files{200, 200}, locked{4096, 4096};
    ::setrlimit(RLIMIT_NOFILE, &files), ::setrlimit(RLIMIT_MEMLOCK, &locked);
    return to_json(sandbox_on("native").execute(bash("ulimit -Hn; ulimit -Hl")));
  });
  ASSERT_TRUE(answer);
  const Json result = Json::parse(*answer);
  EXPECT_EQ(result["stdout"], "200\n4\n") << result;
  EXPECT_TRUE(std::ranges::any_of(result["meta"]["evidence"], [](const Json& row) {
    return row["control"] == "open_files" && row["applied"] == "limit.nofile 200";
  })) << result;
}

TEST_P(NativeLimits, LeavesNoCoreDump) {
  Json result = run(bash("ulimit -c; python3 -c 'import os; os.abort()'; ls -A /work /tmp"));
  EXPECT_EQ(result["stdout"], "0\n/tmp:\n\n/work:\nmain.sh\n") << result.dump();
}

TEST_P(NativeLimits, EndsAProgramThatHasUsedUpItsProcessorTime) {  // L-02
  ExecutionRequest request = python("print('begun', flush=True)\nwhile True: pass");
  request.limits.cpu_time = std::chrono::seconds(1);
  request.limits.timeout = std::chrono::seconds(30);
  Json result = run(request);
  EXPECT_EQ(result["meta"]["cause"], "cpu_limit") << result.dump();
  EXPECT_EQ(result["stdout"], "begun\n");
  EXPECT_EQ(result["timed_out"], false);
  EXPECT_LT(result["duration"], 20);
}

// setrlimit(2) refuses to raise it: the program must begin all the same.
TEST_P(NativeLimits, HoldsTheCallersOwnProcessorTimeWhereThatIsLess) {
  const auto answer = in_child(GetParam(), [] {
    const rlimit few{50, 50};
    ::setrlimit(RLIMIT_CPU, &few);
    ExecutionRequest request = bash("ulimit -St; ulimit -Ht");
    request.limits.cpu_time = std::chrono::seconds(60);
    return to_json(sandbox_on("native").execute(request));
  });
  ASSERT_TRUE(answer);
  const Json result = Json::parse(*answer);
  EXPECT_EQ(result["stdout"], "49\n50\n") << result;
}

TEST_P(NativeLimits, KnowsAForgedSignalOfTheProcessorLimit) {
  ExecutionRequest request = bash("kill -XCPU $$");
  request.limits.cpu_time = std::chrono::seconds(1);
  Json result = run(request);
  EXPECT_EQ(result["meta"]["cause"], "signalled") << result.dump();
  EXPECT_EQ(result["meta"]["signal"], 24);
}

// P-17
TEST_P(NativeLimits, InfersNothingFromAnExitStatus) {
  for (const int status : {124, 125, 126, 127, 137, 143, 255}) {
    Json result = run(bash("exit " + std::to_string(status)));
    EXPECT_EQ(result["meta"]["cause"], "nonzero_exit") << status;
    EXPECT_EQ(result["exit_code"], status);
    EXPECT_EQ(result["timed_out"], false) << status;
  }
}

}  // namespace
}  // namespace lazaret::test
