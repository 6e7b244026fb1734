#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "integration/support.hpp"
#include "runner/driver.hpp"

// What holds for compiled languages beside what their corpus shows.
namespace lazaret::test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

class LanguagesOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
  }
  static Json run(const std::string& language, const std::string& code,
                  const std::function<void(ExecutionRequest&)>& change = {}) {
    ExecutionRequest request = code_request(language, code);
    if (change) change(request);
    return run_on(GetParam(), request);
  }
};

// A program of each language that finds nothing on its PATH, and one whose image is not there.
TEST_P(LanguagesOn, SayWhatToInstallWhereTheirRuntimeIsMissing) {
  for (const runner::Driver& driver : runner::drivers()) {
    const std::string name(driver.name);
    const Json result = run(name, "1", [](ExecutionRequest& request) {
      request.environment = {{"PATH", "/nowhere"}};
    });
    const bool no_image = result["meta"]["cause"] == "image_missing";
    const std::string hint = result["error"].value("hint", "");
    EXPECT_THAT(result["meta"]["cause"], AnyOf("start_failed", "image_missing")) << name;
    EXPECT_THAT(hint, HasSubstr(no_image ? "lazaret images build"
                                         : "install " + std::string(driver.needs)))
        << name << result;
    EXPECT_EQ(result["stdout"], "");
  }
}

// Its stack begins with the name that it had, and with a place that is in its message only.
TEST_P(LanguagesOn, NameTheLineOfAnErrorThatWasRenamed) {
  const Json result = run("javascript",
                          "try {\n  throw new Error(`see ${__filename}:99`);\n} catch (error) {\n"
                          "  error.stack;\n  error.name = 'LoadError';\n  throw error;\n}\n");
  EXPECT_EQ(result["error"]["name"], "LoadError");
  EXPECT_EQ(result["error"]["line"], 2) << result;
}

// P-53: before 3.13 python itself knows of its affinity only, and counts the host's for a pool.
TEST_P(LanguagesOn, TellPythonHowManyProcessorsItHas) {
  constexpr const char* kCount =
      "import multiprocessing, os\nprint(os.cpu_count(), multiprocessing.cpu_count())";
  for (const double cpus : {1.0, 2.0}) {
    if (cpus > std::thread::hardware_concurrency()) continue;
    const Json result = run(
        "python", kCount, [cpus](ExecutionRequest& request) { request.limits.cpus = cpus; });
    EXPECT_EQ(result["stdout"], cpus == 1.0 ? "1 1\n" : "2 2\n") << result;
  }
}

constexpr const char* kHeavy =
    "#include <bits/stdc++.h>\n"
    "int main() { return std::regex_match(\"aaa\", std::regex(\"a+\")) ? 0 : 1; }\n";

TEST_P(LanguagesOn, EndsACompilerAtItsOwnTimeout) {
  const Json result = run("cpp", kHeavy, [](ExecutionRequest& request) {
    request.limits.compile_timeout = std::chrono::milliseconds(30);
  });
  EXPECT_EQ(result["meta"]["cause"], "timeout");
  EXPECT_TRUE(result["compile"]["timed_out"]);
  EXPECT_THAT(result["error"]["message"].get<std::string>(), HasSubstr("compiler"));
  EXPECT_EQ(result["meta"]["kill"]["survivors"], 0);
}

TEST_P(LanguagesOn, GivesACompilerMoreTimeThanTheProgramHas) {
  const Json result = run("cpp", kHeavy, [](ExecutionRequest& request) {
    request.limits.timeout = std::chrono::milliseconds(1500);
  });
  EXPECT_EQ(result["meta"]["cause"], "exited") << result.dump();
  EXPECT_GT(result["compile"]["duration"], 1.5);
  EXPECT_LT(result["duration"], 1.5);
}

// The compiler is foreign code's playground too: it has no more of the host than the program.
TEST_P(LanguagesOn, ShowsACompilerNothingThatTheBoxDoesNotHave) {
  Folder outside;
  const std::string secret = outside.write("secret.h", "#error the-secret\n");
  const Json result = run("c", "#include \"" + secret + "\"\nint main(void) { return 0; }\n");
  EXPECT_EQ(result["meta"]["cause"], "compile_failed");
  EXPECT_THAT(result.dump(), testing::Not(HasSubstr("the-secret")));
  EXPECT_THAT(result["error"]["message"].get<std::string>(), HasSubstr("main.c:1"));
}

TEST_P(LanguagesOn, LetsACompilerStartProcessesWhereTheProgramMayNot) {
  const char* const forks =
      "#include <stdio.h>\n#include <unistd.h>\n"
      "int main(void) { puts(fork() < 0 ? \"denied\" : \"forked\"); return 0; }\n";
  const Json result =
      run("c", forks, [](ExecutionRequest& request) { request.subprocess = Subprocess::deny; });
  EXPECT_EQ(result["compile"]["exit_code"], 0);
  EXPECT_EQ(result["stdout"], "denied\n");
  EXPECT_THAT(run("c", forks)["stdout"].get<std::string>(), HasSubstr("forked"));
}

TEST_P(LanguagesOn, RefusesCompiledCodeUnderTheStrictProfile) {
  const Json result = run("c", "int main(void) { return 0; }",
                          [](ExecutionRequest& request) { request.profile = Profile::strict; });
  EXPECT_EQ(result["meta"]["cause"], "policy_denied");
  EXPECT_THAT(result["error"]["message"].get<std::string>(), HasSubstr("compiled"));
}

TEST_P(LanguagesOn, BelievesAProgramNothingAboutItsCompileStep) {
  const Json result = run("c",
                          "#include <unistd.h>\n#include <string.h>\n"
                          "int main(void) {\n"
                          "  const char* lie = \"{\\\"compile\\\":{\\\"exit_code\\\":9}}\";\n"
                          "  for (int fd = 3; fd < 64; ++fd) write(fd, lie, strlen(lie));\n"
                          "  return 0;\n}\n");
  EXPECT_EQ(result["compile"]["exit_code"], 0);
  EXPECT_EQ(result["compile"]["diagnostics"].get<std::string>().find("exit_code"),
            std::string::npos);
  EXPECT_EQ(result["meta"]["cause"], "exited");
  EXPECT_FALSE(result.contains("value"));
}

INSTANTIATE_TEST_SUITE_P(EachBackend, LanguagesOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

}  // namespace
}  // namespace lazaret::test
