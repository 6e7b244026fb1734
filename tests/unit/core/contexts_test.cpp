#include "core/contexts.hpp"

#include <string>

#include <gtest/gtest.h>

namespace lazaret::core {
namespace {

policy::Spec in_context(const std::string& name) {
  policy::Spec spec;
  spec.language = "python";
  spec.program.cell = policy::Program::Cell{name, "", 1};
  return spec;
}

void run(Contexts& contexts, const std::string& name, bool ended_all = false) {
  policy::Spec spec = in_context(name);
  ASSERT_TRUE(contexts.enter(spec).ok()) << name;
  OneRun run;
  run.was_handed_over = true;
  run.keeps_context = !ended_all;
  run.ended_contexts = ended_all;
  contexts.note(spec, run);
}

bool may_begin(Contexts& contexts, const std::string& name) {
  policy::Spec spec = in_context(name);
  return contexts.enter(spec).ok();
}

TEST(Contexts, AreSixteenThatLive) {
  Contexts contexts;
  for (int number = 0; number < 16; ++number) run(contexts, "c" + std::to_string(number));
  EXPECT_FALSE(may_begin(contexts, "another"));
  EXPECT_TRUE(may_begin(contexts, "c3"));
}

// Each round ends all that there are; who comes to one of them is told, until there are too many.
TEST(Contexts, ThatAreLostAreInNobodysWay) {
  Contexts contexts;
  for (int round = 0; round < 4; ++round) {
    const std::string name = std::to_string(round) + "-";
    for (int number = 0; number < 16; ++number) run(contexts, name + std::to_string(number));
    run(contexts, name + "0", true);
  }
  EXPECT_FALSE(contexts.has_living());
  EXPECT_TRUE(may_begin(contexts, "new")) << "60 are lost";
  EXPECT_FALSE(may_begin(contexts, "0-7")) << "it was lost, and is said to be";
  EXPECT_TRUE(may_begin(contexts, "0-7"));
}

TEST(Contexts, ThatAreLostAreBounded) {
  Contexts contexts;
  for (int number = 0; number < 65; ++number) {
    const std::string name = std::to_string(number);
    if (!may_begin(contexts, name)) break;
    run(contexts, name);
    run(contexts, "ender", true);
  }
  EXPECT_EQ(contexts.list().size(), 64U);
  EXPECT_FALSE(may_begin(contexts, "another"));
  EXPECT_TRUE(contexts.forget("0"));
  EXPECT_TRUE(may_begin(contexts, "another"));
}

}  // namespace
}  // namespace lazaret::core
