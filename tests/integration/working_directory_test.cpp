#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"
#include "integration/warm_sandbox.hpp"

// Where a program begins.
namespace lazaret::test {
namespace {

using testing::HasSubstr;

constexpr const char* kReads = "import os, sys\nprint(os.getcwd(), open('a.txt').read(), sys.argv)";

class WorkingDirectoryOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
  }
  static ExecutionRequest reading(const std::string& where) {
    ExecutionRequest request = python(kReads);
    request.inputs = {{"data/raw/a.txt", "text", {}, false}};
    request.working_directory = where;
    return request;
  }
};

TEST_P(WorkingDirectoryOn, IsWhereTheCallerSays) {
  for (const char* const where : {"data/raw", "/work/data/raw", "data/../data/raw/"}) {
    const Json result = run_on(GetParam(), reading(where));
    EXPECT_EQ(result["stdout"], "/work/data/raw text ['/work/main.py']\n") << result;
  }
  ExecutionRequest command_there = command({"pwd"});
  command_there.working_directory = "/tmp";
  EXPECT_EQ(run_on(GetParam(), command_there)["stdout"], "/tmp\n");
}

// A box that waits has its interpreter in /work: what begins elsewhere has none that waits.
TEST_P(WorkingDirectoryOn, IsNoOtherWhereBoxesAreMadeAhead) {
  const WarmSandbox warm(GetParam());
  ExecutionRequest here = python("import os\nprint(os.getcwd())");
  for (const char* const where : {"", "/work", "/work/"}) {
    (void)warm.run(python("1"));  // another one waits soon
    here.working_directory = where;
    for (int time = 0; time < 4; ++time)
      EXPECT_EQ(warm.execute(here).stdout_text, "/work\n") << where;
    EXPECT_EQ(warm.execute(reading("data/raw")).stdout_text,
              "/work/data/raw text ['/work/main.py']\n");
  }
}

TEST_P(WorkingDirectoryOn, IsTheProgramsAndNotItsCompilers) {
  ExecutionRequest request =
      code_request("c",
                   "#include <stdio.h>\n#include <unistd.h>\n#include \"part.h\"\n"
                   "int main(void) { char at[99]; return puts(getcwd(at, PART)) < 0; }\n");
  request.inputs = {{"part.h", "#define PART 99\n", {}, false}, {"data/a.txt", "", {}, false}};
  request.working_directory = "data";
  EXPECT_EQ(run_on(GetParam(), request)["stdout"], "/work/data\n");
}

TEST_P(WorkingDirectoryOn, MustBeThere) {
  const Json result = run_on(GetParam(), reading("data/nowhere"));
  EXPECT_EQ(result["meta"]["cause"], "start_failed") << result;
  EXPECT_EQ(result["stdout"], "");
  EXPECT_THAT(result["error"]["message"].get<std::string>(), HasSubstr("chdir"));
  EXPECT_THAT(result["error"]["hint"].get<std::string>(), HasSubstr("working directory"));
}

INSTANTIATE_TEST_SUITE_P(EachBackend, WorkingDirectoryOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

TEST(CliWorkingDirectory, IsSaidInOneWord) {
  const Ended ended = lazaret({"exec", "-w", "/tmp", "--", "pwd"});
  EXPECT_EQ(ended.out, "/tmp\n") << ended.err;
}

}  // namespace
}  // namespace lazaret::test
