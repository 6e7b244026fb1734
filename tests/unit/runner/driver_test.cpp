#include "runner/driver.hpp"

#include <gtest/gtest.h>

namespace lazaret::runner {
namespace {

TEST(Driver, IsFoundByNameAndByAlias) {
  for (const auto* name : {"python", "py", "bash", "sh", "javascript", "node", "js"}) {
    EXPECT_NE(driver_named(name), nullptr) << name;
  }
  EXPECT_EQ(driver_named("node"), driver_named("javascript"));
  EXPECT_EQ(driver_named("cobol"), nullptr);
  EXPECT_EQ(driver_named(""), nullptr);
}

TEST(Driver, HandsArgumentsOverUnchanged) {
  const Words arguments = {"-c", "a b", "", "--", "$HOME"};
  for (const auto& driver : drivers()) {
    const auto argv = driver.argv(arguments);
    ASSERT_GT(argv.size(), arguments.size());
    EXPECT_EQ(Words(argv.end() - 5, argv.end()), arguments) << driver.name;
    EXPECT_EQ(argv[argv.size() - 6], driver.path) << driver.name;
  }
}

TEST(Driver, StartsPythonIsolatedWithItsBootstrap) {
  const auto argv = driver_named("python")->argv({});
  ASSERT_EQ(argv.size(), 5U);
  EXPECT_EQ(argv[0], "python3");
  EXPECT_EQ(argv[1], "-I");
  EXPECT_EQ(argv[2], "-c");
  EXPECT_NE(argv[3].find("def run():"), std::string::npos);
}

TEST(Driver, StartsNodeSoThatNoArgumentIsItsOption) {
  const auto argv = driver_named("javascript")->argv({"--inspect"});
  ASSERT_EQ(argv.size(), 6U);
  EXPECT_EQ(argv[1], "--eval");
  EXPECT_EQ(argv[3], "--");
  EXPECT_EQ(argv[5], "--inspect");
}

TEST(Driver, StartsBashWithTheFileAlone) {
  EXPECT_EQ(driver_named("bash")->argv({"x"}), (Words{"bash", "/work/main.sh", "x"}));
}

TEST(Driver, KeepsEachWordBelowTheKernelsLimit) {
  constexpr std::size_t kMaxArgStrlen = 128 * 1024;  // execve(2)
  for (const auto& driver : drivers()) {
    for (const auto& word : driver.argv({})) {
      EXPECT_LT(word.size(), kMaxArgStrlen);
      EXPECT_EQ(word.find('\0'), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace lazaret::runner
