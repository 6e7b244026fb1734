#include "core/job.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lazaret::core {
namespace {

policy::Spec spec_of_one_that_waits(bool takes_leave) {
  policy::Spec spec;
  spec.program.argv = {"python3", "/work/main.py"};
  spec.program.ahead = policy::Program::Ahead{.argv = {"python3"},
                                              .environment = {},
                                              .says = "waiting",
                                              .word = "main",
                                              .takes_leave = takes_leave};
  return spec;
}

TEST(Job, TellsAFarewellOfItsOwnBehindTheWord) {
  const policy::Spec spec = spec_of_one_that_waits(true);
  const runner::Job job = job_of(spec);
  EXPECT_EQ(job.farewell.size(), 32U);
  EXPECT_EQ(job.word, std::string("main") + '\0' + job.farewell);
  EXPECT_NE(job_of(spec).farewell, job.farewell);
}

TEST(Job, TellsNoneToWhoKnowsNone) {
  const runner::Job job = job_of(spec_of_one_that_waits(false));
  EXPECT_EQ(job.farewell, "");
  EXPECT_EQ(job.word, "main");
}

TEST(Job, HasTheVariablesOfItsImageToo) {
  policy::Spec spec = spec_of_one_that_waits(true);
  spec.program.compiler = {"cc"};
  spec.environment = {{"A", "run"}};
  const std::vector<std::string> image = {"A=image", "B=image"};
  const std::vector<std::string> both = {"A=run", "B=image"};
  EXPECT_EQ(job_of(spec, false, image).environment, both);
  EXPECT_EQ(compiler_of(spec, image).environment, both);
  EXPECT_EQ(interpreter_of(spec, image).environment, both);
}

// It has them since before there was a program: a driver is thousands of bytes.
TEST(Job, TellsNoCommandAndEnvironmentToWhoWaits) {
  policy::Spec spec = spec_of_one_that_waits(true);
  spec.environment = {{"A", "b"}};
  spec.program.files = {{"main.py", "1"}};
  const runner::Job whole = job_of(spec), handed = job_of(spec, true);
  EXPECT_EQ(whole.argv.size(), 2U);
  EXPECT_EQ(whole.environment.size(), 1U);
  EXPECT_EQ(handed.argv, std::vector<std::string>{"python3"});
  EXPECT_TRUE(handed.environment.empty());
  EXPECT_EQ(handed.files.size(), 1U);
  EXPECT_EQ(handed.word.size(), whole.word.size());
}

}  // namespace
}  // namespace lazaret::core
