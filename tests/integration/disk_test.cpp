#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"
#include "lazaret/session.hpp"

// A program that fails because its disk is full is told apart from one that merely fails.
namespace lazaret::test {
namespace {

using testing::HasSubstr;

class DiskOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
  }
  static ExecutionResult run(ExecutionRequest request) {
    request.limits.disk_bytes = 8 << 20;
    request.limits.disk_files = 100;
    return sandbox_on(GetParam()).execute(request);
  }
};

// The program's own words tell where, the box's why.
TEST_P(DiskOn, SaysWhatAProgramHasFilled) {
  const ExecutionResult result =
      run(python("file = open('big', 'wb', buffering=0)\n"
                 "while True:\n"
                 "  file.write(bytes(65536))\n"));
  EXPECT_EQ(result.meta.cause, Cause::disk_limit) << to_json(result);
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.meta.usage.disk_full, "bytes");
  EXPECT_EQ(result.error->name, "OSError");
  EXPECT_EQ(result.error->line, 3);
  EXPECT_EQ(result.error->hint, "raise --disk");
  EXPECT_EQ(result.exit_code, 1);
}

TEST_P(DiskOn, SaysItOfAShellToo) {
  const ExecutionResult result = run(bash("head -c 20000000 /dev/zero > /tmp/big || exit 3"));
  EXPECT_EQ(result.meta.cause, Cause::disk_limit) << to_json(result);
  ASSERT_TRUE(result.error);
  EXPECT_THAT(result.error->message, HasSubstr("filled a file system of the box"));
  EXPECT_EQ(result.exit_code, 3);
}

TEST_P(DiskOn, SaysThatThereWereTooManyFiles) {
  const ExecutionResult result =
      run(bash("for i in {1..200}; do : > /dev/shm/$i || exit 4; done 2> /dev/null"));
  EXPECT_EQ(result.meta.cause, Cause::disk_limit) << to_json(result);
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->hint, "raise --disk-files");
  EXPECT_EQ(result.meta.usage.disk_full, "files");
}

TEST_P(DiskOn, BlamesADiskThatIsFullForNothingElse) {
  const ExecutionResult well = run(bash("head -c 20000000 /dev/zero > big 2> /dev/null; exit 0"));
  EXPECT_EQ(well.meta.cause, Cause::exited) << to_json(well);
  const ExecutionResult cleared =
      run(bash("head -c 20000000 /dev/zero > big 2> /dev/null; rm big; exit 5"));
  EXPECT_EQ(cleared.meta.cause, Cause::nonzero_exit) << to_json(cleared);
  EXPECT_FALSE(cleared.meta.usage.disk_full);
}

// Python gets an error, a shell's children the signal; both have written up to the limit.
TEST_P(DiskOn, SaysThatAFileWasLargerThanOneMayBe) {
  for (ExecutionRequest request :
       {python("file = open('/tmp/big', 'wb', buffering=0)\n"
               "file.write(bytes(1 << 20))\n"
               "file.write(b'.')\n"),
        bash("mkdir a && head -c 1048576 /dev/zero > a/big && head -c 1048577 /dev/zero > b"),
        bash("exec head -c 1048577 /dev/zero > /dev/shm/b")}) {
    request.limits.file_bytes = 1 << 20;
    const ExecutionResult result = run(request);
    EXPECT_EQ(result.meta.cause, Cause::file_size_limit) << to_json(result);
    ASSERT_TRUE(result.error);
    EXPECT_EQ(result.error->hint, "raise --file-size");
    EXPECT_EQ(result.meta.usage.disk_full, "file");
  }
}

TEST_P(DiskOn, BlamesASmallerFileForNothing) {
  ExecutionRequest request = bash("head -c 1048575 /dev/zero > big; exit 3");
  request.limits.file_bytes = 1 << 20;
  const ExecutionResult result = run(request);
  EXPECT_EQ(result.meta.cause, Cause::nonzero_exit) << to_json(result);
  EXPECT_FALSE(result.meta.usage.disk_full);
}

TEST_P(DiskOn, BlamesNoFileThatItsCallerHasPut) {
  ExecutionRequest request = bash("exit 3");
  request.limits.file_bytes = 1 << 20;
  request.inputs = {{"most", std::string(1 << 20, 'x'), {}, false}};
  const ExecutionResult result = run(request);
  EXPECT_EQ(result.meta.cause, Cause::nonzero_exit) << to_json(result);
}

TEST_P(DiskOn, BlamesNoFileOfAnEarlierProgram) {
  SessionRequest request;
  request.limits.file_bytes = 1 << 20;
  const CodeSandbox sandbox = sandbox_on(GetParam());
  auto session = sandbox.open_session(request);
  ASSERT_TRUE(session.ok()) << session.error().message();
  EXPECT_EQ(session->execute(bash("head -c 1048577 /dev/zero > b")).meta.cause,
            Cause::file_size_limit);
  EXPECT_EQ(session->execute(bash("exit 3")).meta.cause, Cause::nonzero_exit);
  EXPECT_EQ(session->execute(bash("head -c 1048577 /dev/zero > c; exit 0")).meta.cause,
            Cause::exited);
  EXPECT_EQ(session->execute(bash("exit 3")).meta.cause, Cause::nonzero_exit);
}

// What an earlier program of the session has filled is no news of this one.
TEST_P(DiskOn, TellsOfASessionsProgramsApart) {
  SessionRequest request;
  request.limits.disk_bytes = 8 << 20;
  const CodeSandbox sandbox = sandbox_on(GetParam());
  auto session = sandbox.open_session(request);
  ASSERT_TRUE(session.ok()) << session.error().message();
  const auto cause = [&session](const std::string& code) {
    return session->execute(bash(code)).meta.cause;
  };
  EXPECT_EQ(cause("head -c 20000000 /dev/zero > /tmp/big"), Cause::disk_limit);
  EXPECT_EQ(cause("exit 3"), Cause::nonzero_exit);
  EXPECT_EQ(cause("head -c 20000000 /dev/zero > /work/big"), Cause::disk_limit) << "another one";
  EXPECT_EQ(cause("rm /tmp/big; exit 3"), Cause::nonzero_exit);
  EXPECT_EQ(cause("head -c 20000000 /dev/zero > /tmp/big"), Cause::disk_limit);
}

INSTANTIATE_TEST_SUITE_P(EachBackend, DiskOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

}  // namespace
}  // namespace lazaret::test
