#include "runner/driver.hpp"

#include <algorithm>
#include <span>

#include <gtest/gtest.h>

namespace lazaret::runner {
namespace {

TEST(Driver, IsFoundByNameAndByAlias) {
  for (const auto* name : {"python", "py", "bash", "sh", "javascript", "node", "js", "typescript",
                           "ts", "deno", "c++", "rs", "golang"}) {
    EXPECT_NE(driver_named(name), nullptr) << name;
  }
  EXPECT_EQ(driver_named("node"), driver_named("javascript"));
  EXPECT_EQ(driver_named("cobol"), nullptr);
  EXPECT_EQ(driver_named(""), nullptr);
}

// A recipe borrows nothing of its task.
Recipe recipe_of(std::string_view language, const Words& arguments = {},
                 std::string_view code = "code") {
  return driver_named(language)->recipe({code, arguments, 512ULL << 20});
}

TEST(Driver, HandsArgumentsOverUnchanged) {
  const Words arguments = {"-c", "a b", "", "--", "$HOME"};
  for (const auto& driver : drivers()) {
    const auto argv = recipe_of(driver.name, arguments).argv;
    ASSERT_GT(argv.size(), arguments.size());
    EXPECT_EQ(Words(argv.end() - 5, argv.end()), arguments) << driver.name;
  }
}

TEST(Driver, StartsPythonIsolatedWithItsBootstrap) {
  const auto argv = recipe_of("python").argv;
  ASSERT_EQ(argv.size(), 5U);
  EXPECT_EQ(argv[0], "python3");
  EXPECT_EQ(argv[1], "-I");
  EXPECT_EQ(argv[2], "-c");
  EXPECT_NE(argv[3].find("def run():"), std::string::npos);
}

TEST(Driver, ShowsPythonItsPackagesWhereThereAreSome) {
  const std::string see = "\nsee_packages('/mnt/packages')\n";
  Task task{"code", {}, 512ULL << 20};
  EXPECT_EQ(driver_named("python")->recipe(task).argv[3].find(see), std::string::npos);
  task.packages = "/mnt/packages";
  EXPECT_EQ(driver_named("python")->recipe(task).cells, Words());
  task.in_context = true;
  const Recipe recipe = driver_named("python")->recipe(task);
  EXPECT_NE(recipe.argv[3].find(see), std::string::npos);
  EXPECT_NE(recipe.cells[3].find(see), std::string::npos);
}

TEST(Driver, StartsNodeSoThatNoArgumentIsItsOption) {
  const auto argv = recipe_of("javascript", {"--inspect"}).argv;
  ASSERT_EQ(argv.size(), 8U);
  EXPECT_EQ(argv[3], "--eval");
  EXPECT_EQ(argv[5], "--");
  EXPECT_EQ(argv[7], "--inspect");
}

// D-38: what the program must not do, each by name.
TEST(Driver, PutsDenosOwnWallAroundTypescript) {
  const Words argv = driver_named("typescript")
                         ->recipe({"code", {"--allow-all"}, 512ULL << 20, false, {"HOME", "MINE"}})
                         .argv;
  for (const auto* flag :
       {"--no-prompt", "--no-remote", "--no-npm", "--no-config", "--no-lock", "--deny-net",
        "--deny-run", "--deny-ffi", "--deny-sys", "--deny-import",
        "--allow-read=/work,/mnt,/dev/fd/4", "--allow-write=/dev/fd/3", "--allow-env=HOME,MINE"}) {
    EXPECT_EQ(std::ranges::count(argv, flag), 1) << flag;
  }
  EXPECT_EQ(Words(argv.end() - 2, argv.end()), (Words{"/work/main.ts", "--allow-all"}));
}

TEST(Driver, TellsJavaOfTheWayOut) {
  Task task{"code", {}, 512ULL << 20};
  task.way_out = 3128;
  const Words argv = driver_named("java")->recipe(task).argv;
  EXPECT_EQ(std::ranges::count(argv, "-Dhttps.proxyHost=127.0.0.1"), 1);
  EXPECT_EQ(std::ranges::count(argv, "-Dhttps.proxyPort=3128"), 1);
  EXPECT_EQ(Words(argv.end() - 3, argv.end() - 1), (Words{"-cp", "/work"}));
  for (const std::string& word : recipe_of("java").argv)
    EXPECT_EQ(word.find("proxy"), word.npos) << word;
}

TEST(Driver, OpensDenosWallForTheHostsOfTheBox) {
  Task task{"code", {}, 512ULL << 20};
  task.hosts = {"a.org", "*.b.org:8443"};
  const Words argv = driver_named("typescript")->recipe(task).argv;
  EXPECT_EQ(std::ranges::count(argv, "--allow-net=a.org,*.b.org:8443"), 1);
  EXPECT_EQ(std::ranges::count(argv, "--deny-net"), 0);
}

// An empty list would be every variable.
TEST(Driver, AllowsNoVariableWhereThereIsNone) {
  for (const auto& word : recipe_of("typescript").argv) {
    EXPECT_FALSE(word.starts_with("--allow-env")) << word;
  }
}

TEST(Driver, LetsAHeapEndBelowTheMemoryLimit_D06) {
  const auto typescript = recipe_of("typescript").argv;
  EXPECT_EQ(std::ranges::count(typescript, "--v8-flags=--max-old-space-size=384"), 1);
  EXPECT_EQ(recipe_of("javascript").argv[1], "--max-old-space-size=384");
  EXPECT_EQ(recipe_of("java").argv[1], "-Xmx384m");
  EXPECT_EQ(recipe_of("java").compiler[1], "-J-Xmx384m");
  EXPECT_EQ(driver_named("java")->recipe({"", {}, 1}).argv[1], "-Xmx4m");
}

TEST(Driver, StartsAShellWithTheFileAlone) {
  EXPECT_EQ(recipe_of("bash", {"x"}).argv, (Words{"bash", "/work/main.sh", "x"}));
  EXPECT_EQ(recipe_of("sh", {"x"}).argv, (Words{"sh", "/work/main.sh", "x"}));
}

TEST(Driver, StartsWhatTheCompilerMakesOfTheFile) {
  for (const auto* name : {"c", "cpp", "rust", "go"}) {
    const Recipe recipe = recipe_of(name, {"x"});
    EXPECT_EQ(recipe.argv, (Words{"/work/main", "x"})) << name;
    EXPECT_EQ(std::ranges::count(recipe.compiler, "/work/main"), 1) << name;
    EXPECT_EQ(std::ranges::count(recipe.compiler, recipe.path.substr(6)), 1) << name;
  }
  EXPECT_TRUE(recipe_of("python").compiler.empty());
}

TEST(Driver, NamesAJavaFileAfterItsPublicClass) {
  const Recipe recipe = recipe_of("java", {"x"}, "public class Tree {}");
  EXPECT_EQ(recipe.path, "/work/Tree.java");
  EXPECT_EQ(recipe.compiler.back(), "Tree.java");
  EXPECT_EQ(Words(recipe.argv.end() - 2, recipe.argv.end()), (Words{"Tree", "x"}));
}

TEST(Driver, StartsAheadWhatItStartsOtherwise) {
  for (const auto* name : {"python", "bash", "javascript", "typescript"}) {
    const Recipe recipe = recipe_of(name);
    ASSERT_TRUE(recipe.ahead) << name;
    ASSERT_LE(recipe.ahead->argv.size(), recipe.argv.size());
    EXPECT_TRUE(std::ranges::equal(recipe.ahead->argv,
                                   std::span(recipe.argv).first(recipe.ahead->argv.size())))
        << name;
  }
}

TEST(Driver, FixesSeedsWhereTheRuntimeCan) {
  for (const auto& driver : drivers()) {
    const Recipe free = driver.recipe({"code", {}, 512ULL << 20});
    const Recipe fixed = driver.recipe({"code", {}, 512ULL << 20, true});
    EXPECT_TRUE(free.seeds.empty()) << driver.name;
    EXPECT_EQ(fixed.seeds.empty(), fixed.argv == free.argv) << driver.name;
  }
  EXPECT_EQ(driver_named("python")->recipe({"", {}, 1, true}).seeds,
            (Words{"hash_seed", "random_seed"}));
}

TEST(Driver, StartsNothingAheadOfWhatMustBeCompiled) {
  for (const auto& driver : drivers()) {
    const Recipe recipe = recipe_of(driver.name);
    EXPECT_FALSE(recipe.ahead && !recipe.compiler.empty()) << driver.name;
  }
}

TEST(Driver, TellsAWaitingInterpreterWhatToRun) {
  EXPECT_EQ(recipe_of("python", {"a b", "", "c"}).ahead->word,
            std::string("/work/main.py\0a b\0\0c", 20));
  EXPECT_EQ(recipe_of("javascript").ahead->word, "/work/main.js");
  EXPECT_EQ(recipe_of("typescript", {"a"}).ahead->word, std::string("/work/main.ts\0a", 15));
}

// Each argument is one word of the shell's, whatever it holds.
TEST(Driver, QuotesArgumentsForAWaitingShell) {
  const std::string word = recipe_of("bash", {"it's", "$(id)", "\n"}).ahead->word;
  EXPECT_NE(word.find("\nset -- 'it'\\''s' '$(id)' '\n'\n"), std::string::npos) << word;
}

TEST(Driver, KeepsEachWordBelowTheKernelsLimit) {
  constexpr std::size_t kMaxArgStrlen = 128 * 1024;  // execve(2)
  for (const auto& driver : drivers()) {
    const Recipe recipe = recipe_of(driver.name);
    for (const auto* words : {&recipe.argv, &recipe.compiler}) {
      for (const auto& word : *words) {
        EXPECT_LT(word.size(), kMaxArgStrlen);
        EXPECT_EQ(word.find('\0'), std::string::npos);
      }
    }
  }
}

TEST(Driver, SaysWhatShowsTheRuntimeAndWhatBringsIt) {
  for (const auto& driver : drivers()) {
    EXPECT_FALSE(driver.version.empty()) << driver.name;
    EXPECT_FALSE(driver.needs.empty()) << driver.name;
  }
}

}  // namespace
}  // namespace lazaret::runner
