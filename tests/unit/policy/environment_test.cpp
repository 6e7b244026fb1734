#include "policy/environment.hpp"

#include <gtest/gtest.h>

namespace lazaret::policy {
namespace {

TEST(BaseEnvironment, HoldsOnlyTheBoxsOwnVariables) {
  const auto variables = base_environment(1);
  EXPECT_EQ(variables.at("HOME"), "/work");
  EXPECT_EQ(variables.at("LANG"), "C.UTF-8");
  EXPECT_EQ(variables.at("TZ"), "UTC");
  EXPECT_EQ(variables.at("TMPDIR"), "/tmp");
  EXPECT_EQ(variables.size(), 12U);
}

TEST(BaseEnvironment, RoundsProcessorsUpToThreads) {  // P-53
  for (const char* const name :
       {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_MAX_THREADS",
        "GOMAXPROCS", "UV_THREADPOOL_SIZE", "PYTHON_CPU_COUNT"}) {
    for (const auto& [cpus, threads] : {std::pair{0.5, "1"}, {1.0, "1"}, {1.5, "2"}, {2.0, "2"}})
      EXPECT_EQ(base_environment(cpus).at(name), threads) << name;
  }
}

TEST(Variable, IsDeniedWhenItChangesHowProgramsAreLoadedOrCarriesASecret) {
  for (const auto* name :
       {"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "PYTHONPATH",
        "PYTHONSTARTUP", "PYTHONHOME", "NODE_OPTIONS", "RUBYLIB", "RUBYOPT", "PERL5LIB", "PERL5OPT",
        "BASH_ENV", "ENV", "PROMPT_COMMAND", "GCONV_PATH", "IFS", "Ld_Preload",
        "AWS_SECRET_ACCESS_KEY", "SOME_API_KEY", "BASH_FUNC_ls", "DENO_V8_FLAGS",
        "DENO_PERMISSION_BROKER_PATH", "DENO_AUDIT_PERMISSIONS", "DENO_COVERAGE_DIR",
        "OTEL_DENO"}) {
    const auto status = check_variable(name);
    ASSERT_FALSE(status.ok()) << name;
    EXPECT_EQ(status.error().code(), Errc::permission_denied) << name;
  }
}

TEST(Variable, IsRefusedWhenItIsNotAName) {
  for (const auto* name : {"", "A=B", "1A", "A B", "A-B", "BASH_FUNC_ls%%", "Ä"}) {
    const auto status = check_variable(name);
    ASSERT_FALSE(status.ok()) << name;
    EXPECT_EQ(status.error().code(), Errc::invalid_argument) << name;
  }
}

TEST(Variable, IsFineOtherwise) {
  for (const auto* name : {"FOO", "_x", "http_proxy", "ENVIRONMENT", "OLD_VALUE", "A1"}) {
    EXPECT_TRUE(check_variable(name).ok()) << name;
  }
}

}  // namespace
}  // namespace lazaret::policy
