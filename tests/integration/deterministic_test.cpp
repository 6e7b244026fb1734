#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"
#include "integration/warm_sandbox.hpp"

// Requests whose program is to find the same each time.
namespace lazaret::test {
namespace {

using testing::ElementsAre;

constexpr const char* kDraws = R"(
import os, random, time
print(hash('a'), {'x', 'y', 'z'}, random.random(), random.sample(range(1000), 5))
print(time.tzname, time.strftime('%H', time.localtime(0)), os.environ.get('LC_ALL'))
random.randrange(1 << 64))";

class DeterministicOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
  }
  static ExecutionRequest fixed(const char* language, const std::string& code) {
    ExecutionRequest request = code_request(language, code);
    request.deterministic = true;
    return request;
  }
  static ExecutionResult run(const ExecutionRequest& request) {
    return sandbox_on(GetParam()).execute(request);
  }
};

TEST_P(DeterministicOn, DrawsTheSameEachTime) {
  const ExecutionRequest request = fixed("python", kDraws);
  const ExecutionResult first = run(request), second = run(request);
  EXPECT_TRUE(first.success()) << to_json(first);
  EXPECT_EQ(first.stdout_text, second.stdout_text);
  EXPECT_EQ(first.value, second.value);
  EXPECT_THAT(first.stdout_text, testing::HasSubstr("('UTC', 'UTC') 00 C.UTF-8"));
  EXPECT_THAT(first.meta.fixed, ElementsAre("time_zone", "locale", "hash_seed", "random_seed"));
  const ExecutionResult ahead = WarmSandbox(GetParam()).run(request);
  EXPECT_EQ(ahead.stdout_text, first.stdout_text);
  EXPECT_EQ(ahead.value, first.value);
}

TEST_P(DeterministicOn, DrawsTheSameNumbersInJavascript) {
  const ExecutionRequest request =
      fixed("javascript", "console.log(new Date(0).getHours());\nreturn [1, 2].map(Math.random)");
  const ExecutionResult first = run(request), second = run(request);
  EXPECT_TRUE(first.success()) << to_json(first);
  EXPECT_EQ(first.stdout_text, "0\n");
  EXPECT_EQ(first.value, second.value);
  EXPECT_THAT(first.meta.fixed, ElementsAre("time_zone", "locale", "random_seed"));
  EXPECT_EQ(WarmSandbox(GetParam()).run(request).value, first.value);
}

// Else the two above could not fail.
// In two sessions, of which each draws on where it has been: not the same twice.
TEST_P(DeterministicOn, DrawsTheSameInContexts) {
  const CodeSandbox sandbox = sandbox_on(GetParam());
  const auto draws = [&sandbox] {
    auto session = sandbox.open_session({});
    std::vector<std::string> values;
    for (const char* const code :
         {"import random\n[hash('a'), random.random()]", "[hash('a'), random.random()]"}) {
      ExecutionRequest cell = fixed("python", code);
      cell.context = "main";
      const ExecutionResult result = session->execute(cell);
      EXPECT_TRUE(result.success()) << to_json(result);
      values.push_back(result.value.value_or("none"));
    }
    return values;
  };
  const auto first = draws();
  EXPECT_EQ(first, draws());
  EXPECT_NE(first.at(0), first.at(1));
}

TEST_P(DeterministicOn, IsWhatOthersAreNot) {
  for (const auto& [language, code] :
       {std::pair{"python", kDraws}, std::pair{"javascript", "return Math.random()"}}) {
    std::set<std::string> values;
    for (int time = 0; time < 2; ++time) {
      const ExecutionResult result = run(code_request(language, code));
      values.insert(result.value.value_or(""));
      EXPECT_TRUE(result.success()) << to_json(result);
      EXPECT_TRUE(result.meta.fixed.empty());
    }
    EXPECT_EQ(values.size(), 2U) << language;
  }
}

TEST_P(DeterministicOn, ClaimsNoSeedsOfOtherLanguages) {
  const ExecutionResult shell = run(fixed("bash", "date -d @0 +%H; echo $LC_ALL"));
  EXPECT_EQ(shell.stdout_text, "00\nC.UTF-8\n");
  EXPECT_THAT(shell.meta.fixed, ElementsAre("time_zone", "locale"));
}

// What lies beside a program may keep an interpreter from having loaded anything.
TEST_P(DeterministicOn, DrawsTheSameBesideOtherFiles) {
  ExecutionRequest request = fixed("python",
                                   "import os, random\nif os.fork() == 0:\n"
                                   "  print(random.random())\nelse:\n  os.wait()\n"
                                   "random.random()");
  const ExecutionResult alone = run(request);
  EXPECT_EQ(alone.stdout_text, alone.value.value_or("") + "\n");
  for (const char* const name : {"json.py", "random.txt", "math.csv", "csv/data.txt"}) {
    request.inputs = {{name, "OWN = 1\n", {}, false}};
    EXPECT_EQ(run(request).value, alone.value) << name;
    EXPECT_EQ(WarmSandbox(GetParam()).run(request).value, alone.value) << name;
  }
}

// A library that python itself loads before its program.
TEST_P(DeterministicOn, LoadsNothingFromBesideTheProgramSooner) {
  ExecutionRequest request =
      fixed("python", "import os, sys\n[os.environ.get('PYTHONSAFEPATH', 'none'), '' in sys.path]");
  request.inputs = {{"linecache.py", "raise SystemExit(9)\n", {}, false},
                    {"os.py", "raise SystemExit(9)\n", {}, false}};
  EXPECT_EQ(run(request).value, "[\"none\",false]");
}

TEST_P(DeterministicOn, LeavesModulesBesideTheProgramAlone) {
  ExecutionRequest request = fixed("python", "import random\nrandom.OWN");
  request.inputs = {{"random.py", "OWN = 1\n", {}, false}};
  EXPECT_EQ(run(request).value, "1");
  EXPECT_EQ(WarmSandbox(GetParam()).run(request).value, "1");
}

INSTANTIATE_TEST_SUITE_P(EachBackend, DeterministicOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

}  // namespace
}  // namespace lazaret::test
