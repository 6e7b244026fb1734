#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"

// What of a command line is ours and what the program's, and what is said of words that are wrong.
namespace lazaret::test {
namespace {

using testing::HasSubstr;
using testing::Not;

// Each of these may be repeated; none takes the mark after which everything is the program's.
TEST(CliWords, LeavesTheProgramItsOptionsWhateverStandsBefore) {
  const Folder folder;
  const std::string file = folder.write("given", "text");
  const std::vector<std::vector<std::string>> befores = {
      {"-e", "A=1"},    {"-qe", "A=1"},           {"--env", "A=1"},
      {"--file", file}, {"--dir", folder.path()}, {"--mount", folder.path() + ":/mnt/here"}};
  for (const std::vector<std::string>& before : befores) {
    for (const bool marked : {true, false}) {
      std::vector<std::string> words = {"exec"};
      words.insert(words.end(), before.begin(), before.end());
      if (marked) words.emplace_back("--");
      for (const char* const word :
           {"printf", "%s|", "--file", "/etc/passwd", "--best-effort", "-c"})
        words.emplace_back(word);
      const Ended ended = lazaret(words);
      EXPECT_EQ(ended.out, "--file|/etc/passwd|--best-effort|-c|") << before[0] << ended.err;
    }
  }
}

TEST(CliWords, AreRefusedAsOneObjectWhereThatIsAskedFor) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"nosuch.py"},
                                                {"-e", "A", "-c", "1"},
                                                {"--config", "/no", "-c", "1"}}) {
    std::vector<std::string> all = {"run", "--json"};
    all.insert(all.end(), words.begin(), words.end());
    const Ended ended = lazaret(all);
    EXPECT_EQ(ended.status, 2);
    EXPECT_EQ(ended.err, "");
    const Json result = Json::parse(ended.out, nullptr, false);
    ASSERT_TRUE(result.is_object()) << ended.out;
    EXPECT_EQ(result["meta"]["cause"], "policy_denied");
    EXPECT_NE(result["meta"]["run_id"], "");
    EXPECT_NE(result["error"]["message"], "");
    EXPECT_EQ(result["stdout"], "");
  }
}

TEST(CliWords, NamesACommandThatItDoesNotKnow) {
  const Ended ended = lazaret({"rnu", "-c", "1"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(ended.err, "lazaret: no command is called rnu; `lazaret --help` names them\n");
}

TEST(CliWords, TakesNoFileThatIsLongerThanItSays) {
  const Ended ended = lazaret({"run", "--file", "/proc/self/status", "-c", "1"});
  EXPECT_NE(ended.status, 0);
  EXPECT_THAT(ended.err, HasSubstr("is a file of /proc"));
}

TEST(CliWords, SaysWhatWouldMakeRoomForFiles) {
  const Folder folder;
  for (int name = 0; name < 20; ++name) folder.write("f" + std::to_string(name), "");
  const std::vector<std::string> put = {"run", "--dir", folder.path(), "-l", "bash", "-c", "ls"};
  std::vector<std::string> few = put;
  few.insert(few.begin() + 1, {"--disk-files", "16"});
  EXPECT_THAT(lazaret(few).err, HasSubstr("--disk-files"));
  EXPECT_EQ(lazaret(put).status, 0);
}

TEST(CliWords, NamesAnOptionThatItDoesNotKnowAndNothingElse) {
  for (const std::string unknown : {"--bakend", "--bakend=local"}) {
    const Ended ended = lazaret({"run", unknown, "local", "script.py"});
    EXPECT_EQ(ended.status, 2);
    EXPECT_THAT(ended.err, HasSubstr("not expected: " + unknown + "\n")) << ended.err;
  }
}

TEST(CliWords, TakesTheBackendByEitherName) {
  for (const char* const name : {"--type", "--backend"}) {
    EXPECT_EQ(lazaret({"exec", name, "local", "echo", "here"}).out, "here\n");
    EXPECT_EQ(
        lazaret({"exec", name, "docker", "--no-fallback", "--host", "unix:///no", "true"}).status,
        125);
  }
}

// What failed says it by itself; what may be done about it, only we know.
TEST(CliWords, AdviseWhereAProgramHasFailedByItself) {
  const Ended refused = lazaret({"run", "--no-subprocess", "-c", "import os; os.fork()"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("\nlazaret: hint: "));
  EXPECT_THAT(refused.err, HasSubstr("--subprocess"));
  EXPECT_THAT(lazaret({"run", "-c", "1/0"}).err, Not(HasSubstr("hint")));
}

}  // namespace
}  // namespace lazaret::test
