#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"

// Directories of the host's in native boxes, asked for by root and by an ordinary user.
namespace lazaret::test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

class NativeMounts : public testing::TestWithParam<Caller> {
 protected:
  void SetUp() override {
    if (!can_be(GetParam())) LAZARET_SKIP_OR_FAIL("root", "this test is not run by root");
  }
  // A directory beside the others that everybody may use.
  [[nodiscard]] std::string directory(const std::string& name) const {
    const std::string path = folder_.path() + "/" + name;
    std::filesystem::create_directory(path);
    ::chmod(path.c_str(), 0777);
    return path;
  }
  static Json run(const std::string& code, std::vector<Mount> mounts,
                  Profile profile = Profile::standard) {
    ExecutionRequest request = python(code);
    request.mounts = std::move(mounts);
    request.profile = profile;
    request.subprocess = Subprocess::allow;
    return run_as(GetParam(), request);
  }
  const Folder folder_;
};

INSTANTIATE_TEST_SUITE_P(AskedBy, NativeMounts, testing::Values(Caller::root, Caller::user),
                         [](const auto& given) { return name_of(given.param); });

constexpr auto kReadOnly = MountAccess::read_only, kReadWrite = MountAccess::read_write;

constexpr const char* kTry = R"py(
import json, os
def answer(attempt):
    try:
        attempt()
        return 0
    except OSError as error:
        return error.errno
def remove():
    os.unlink("/mnt/data/file")
print(json.dumps({
    "content": open("/mnt/data/file").read(),
    "write": answer(lambda: open("/mnt/data/new", "w").close()),
    "append": answer(lambda: open("/mnt/data/file", "a").close()),
    "remove": answer(remove),
    "leave": os.path.exists("/mnt/data/../../" + os.environ["OUTSIDE"]),
}))
)py";

TEST_P(NativeMounts, ShowADirectoryThatCannotBeChanged) {
  const std::string data = directory("data");
  folder_.write("data/file", "seen", 0666);
  ExecutionRequest request = python(kTry);
  request.mounts = {{data, "/mnt/data", kReadOnly}};
  request.environment["OUTSIDE"] = folder_.path();
  const Json result = run_as(GetParam(), request);
  Json seen = Json::parse(result.value("stdout", ""), nullptr, false);
  EXPECT_EQ(seen["content"], "seen") << result.dump();
  for (const char* const way : {"write", "append", "remove"}) EXPECT_EQ(seen[way], EROFS) << way;
  EXPECT_EQ(seen["leave"], false);
  EXPECT_EQ(file_text(data + "/file"), "seen");
}

TEST_P(NativeMounts, LetAProgramWriteWhereThatIsAskedFor) {
  const std::string data = directory("data");
  const Json result =
      run("open('/mnt/data/made', 'w').write('by the box')", {{data, "/mnt/data", kReadWrite}});
  EXPECT_EQ(result.value("exit_code", -2), 0) << result.dump();
  EXPECT_EQ(file_text(data + "/made"), "by the box");
}

TEST_P(NativeMounts, StandInTheEvidenceOneByOne) {
  const std::string in = directory("in"), out = directory("out");
  const Json result = run("pass", {{in, "/mnt/in", kReadOnly}, {out, "/mnt/out", kReadWrite}});
  const Json tree = evidence_of(result, "filesystem"), disk = evidence_of(result, "disk");
  EXPECT_EQ(tree["status"], "enforced");
  EXPECT_THAT(tree.value("applied", ""), HasSubstr("/mnt/in is " + in + ", read-only"));
  EXPECT_THAT(tree.value("applied", ""), HasSubstr("/mnt/out is " + out + ", writable"));
  EXPECT_EQ(disk["status"], "partial") << disk;
}

TEST_P(NativeMounts, ExecuteNothingInTheStrictProfile) {
  const std::string data = directory("data");
  folder_.write("data/program", "#!/bin/sh\n", 0755);
  const std::string code = "import subprocess\nsubprocess.run(['/mnt/data/program'], check=True)";
  const std::vector<Mount> mounts = {{data, "/mnt/data", kReadOnly}};
  EXPECT_EQ(run(code, mounts).value("exit_code", -2), 0);
  EXPECT_THAT(run(code, mounts, Profile::strict).value("stderr", ""), HasSubstr("Errno 13"));
}

TEST_P(NativeMounts, FollowNoLinkWhereverItStands) {
  const std::string data = directory("data");
  std::filesystem::create_directory_symlink(data, folder_.path() + "/link");
  std::filesystem::create_directory(data + "/inner");
  for (const char* const path : {"/link", "/link/inner"}) {
    const Json result = run("print('ran')", {{folder_.path() + path, "/mnt/data", kReadOnly}});
    EXPECT_EQ(result.value("stdout", ""), "") << path;
    EXPECT_THAT(result["error"].value("hint", ""), HasSubstr("links are not followed"));
  }
}

TEST_P(NativeMounts, RefuseTheSystemAndSecretsAtTheDoor) {  // R-38, A-04
  const std::string secret = directory(".ssh");
  for (const std::string& path : {std::string("/"), std::string("/proc"), std::string("/sys"),
                                  std::string("/dev"), std::string("/run"), secret}) {
    const Json result = run("print('ran')", {{path, "/mnt/data", kReadOnly}});
    EXPECT_EQ(result.value("stdout", ""), "") << path;
    EXPECT_EQ(result["meta"]["cause"], "policy_denied") << path;
  }
}

TEST_P(NativeMounts, RefuseWhatTheCallerMayNotRead) {
  if (GetParam() == Caller::root) GTEST_SKIP() << "root may read everything";
  const std::string data = directory("data");
  ::chmod(data.c_str(), 0700);
  const Json result = run("print('ran')", {{data, "/mnt/data", kReadOnly}});
  EXPECT_EQ(result.value("stdout", ""), "");
  EXPECT_THAT(result["error"].value("message", ""), HasSubstr("Permission denied"));
}

TEST_P(NativeMounts, SayWhenTheBoxIsSomebodyWhoMayNotReadIt) {
  if (GetParam() == Caller::user) GTEST_SKIP() << "root's boxes alone are always somebody else";
  const std::string data = directory("data");
  ::chmod(data.c_str(), 0700);
  const Json result = run("pass", {{data, "/mnt/data", kReadOnly}});
  EXPECT_THAT(result["meta"]["warnings"].dump(), HasSubstr("user 65534"));
}

// Names that change places until the end: now a directory, now a link to another. WHY a process:
// the test forks for each run, and what a thread holds at that moment is held for ever in the fork.
class Swapper {
 public:
  Swapper(const std::string& one, const std::string& other) : pid_(::fork()) {
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    constexpr unsigned kExchange = 2;  // RENAME_EXCHANGE
    for (;;)
      (void)::syscall(SYS_renameat2, AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), kExchange);
  }
  Swapper(const Swapper&) = delete;
  Swapper& operator=(const Swapper&) = delete;
  ~Swapper() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

 private:
  pid_t pid_;
};

TEST_P(NativeMounts, NeverShowWhatALinkThatIsPutThereMeanwhileLeadsTo) {
  const std::string data = directory("data");
  folder_.write("data/file", "public");
  const std::string hidden = directory("hidden");
  folder_.write("hidden/file", "secret");
  std::filesystem::create_directory_symlink(hidden, folder_.path() + "/link");
  const Swapper swapper(data, folder_.path() + "/link");
  std::size_t shown = 0;
  for (int turn = 0; turn < 60; ++turn) {
    const Json result =
        run("print(open('/mnt/data/file').read())", {{data, "/mnt/data", kReadOnly}});
    EXPECT_THAT(result.value("stdout", ""), AnyOf("", "public\n"));
    shown += result.value("stdout", "") == "public\n" ? 1 : 0;
  }
  EXPECT_GT(shown, 0U);
}

TEST_P(NativeMounts, AreNotThereForTheNextBox) {
  const std::string data = directory("data");
  const auto text = in_child(GetParam(), [&data] {
    const CodeSandbox sandbox = sandbox_on("native");
    ExecutionRequest request = python("import os\nprint(os.listdir('/mnt'))");
    request.mounts = {{data, "/mnt/data", kReadOnly}};
    std::string seen = sandbox.execute(request).stdout_text;
    request.mounts.clear();
    return seen + sandbox.execute(request).stdout_text;
  });
  EXPECT_EQ(text, "['data']\n[]\n");
}

}  // namespace
}  // namespace lazaret::test
