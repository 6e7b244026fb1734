#include <chrono>
#include <stop_token>
#include <string>

#include <gtest/gtest.h>

#include "integration/support.hpp"

// A run that its caller gives up: what it has said is kept, and all of it ends.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;

class CancelledOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
  }
  // As soon as it has said something.
  static Json run(const std::string& code, std::chrono::milliseconds grace) {
    std::stop_source stop;
    ExecutionRequest request = bash(code);
    request.stop = stop.get_token();
    request.limits.grace = grace;
    request.on_output = [&stop](Stream, std::string_view) { stop.request_stop(); };
    Json result = run_on(GetParam(), request);
    EXPECT_EQ(result["meta"]["cause"], "cancelled") << result.dump();
    EXPECT_EQ(result["timed_out"], false);
    EXPECT_EQ(result["meta"].value("/kill/survivors"_json_pointer, 99), 0) << result.dump();
    return result;
  }
};

TEST_P(CancelledOn, EndsByItselfWhereItListens) {
  const Json result =
      run("trap 'echo bye; exit 3' TERM; echo first; while :; do sleep 0.05; done", 20s);
  EXPECT_EQ(result["stdout"], "first\nbye\n");
  EXPECT_EQ(result["meta"].value("/kill/path"_json_pointer, ""), "term");
}

TEST_P(CancelledOn, IsEndedWithAllThatItHasStartedWhereItDoesNot) {
  const std::string marker = unique_marker();
  const Json result =
      run("trap '' TERM; setsid bash -c 'echo first; exec -a " + marker +
              " sleep 300' & while :; do sleep 0.05; done",
          500ms);
  EXPECT_EQ(result["stdout"], "first\n");
  EXPECT_EQ(result["meta"].value("/kill/path"_json_pointer, ""), "kill");
  EXPECT_TRUE(processes_marked(marker).empty());
}

INSTANTIATE_TEST_SUITE_P(EachBackend, CancelledOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

}  // namespace
}  // namespace lazaret::test
