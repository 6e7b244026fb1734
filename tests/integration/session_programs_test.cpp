#include <chrono>
#include <functional>
#include <optional>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "integration/support.hpp"
#include "lazaret/session.hpp"

// Programs of a session in languages that need more than their interpreter.
namespace lazaret::test {
namespace {

class SessionProgramsOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
    sandbox_.emplace(sandbox_on(GetParam()));
  }
  [[nodiscard]] Session open(const std::function<void(SessionRequest&)>& change) const {
    SessionRequest request;
    change(request);
    auto session = sandbox_->open_session(request);
    if (!session.ok()) throw std::runtime_error(session.error().message());
    return std::move(session).value();
  }

  std::optional<CodeSandbox> sandbox_;
};

TEST_P(SessionProgramsOn, CompilesInEachRun) {
  const Session session = open([](SessionRequest& request) { request.language = "c"; });
  for (const int status : {3, 4}) {
    const std::string code = "int main(void) { return " + std::to_string(status) + "; }";
    EXPECT_EQ(session.execute(code_request("c", code)).exit_code, status);
  }
}

// What takes the compiler some seconds, of which it has one half; or until its caller goes.
TEST_P(SessionProgramsOn, OutlivesACompilerThatIsGivenUp) {
  const Session session = open([](SessionRequest& request) { request.language = "cpp"; });
  ASSERT_TRUE(session.put({{"kept", "all of it", {}, false}}).ok());
  ExecutionRequest slow = code_request("cpp",
                                       "constexpr long f() {\n  long s = 0;\n"
                                       "  for (int i = 0; i < 30; ++i)\n"
                                       "    for (int j = 0; j < 200'000; ++j) s += j ^ i;\n"
                                       "  return s;\n}\nstatic_assert(f() != 1);\n"
                                       "int main() {}\n");
  slow.limits.compile_timeout = std::chrono::milliseconds(500);
  const ExecutionResult late = session.execute(slow);
  EXPECT_EQ(late.meta.cause, Cause::timeout) << to_json(late);
  ASSERT_TRUE(late.compile);
  EXPECT_TRUE(late.compile->timed_out);
  ASSERT_TRUE(late.meta.kill);
  EXPECT_EQ(late.meta.kill->path, "term");
  EXPECT_EQ(session.state(), SessionState::ready);
  slow.limits.compile_timeout.reset();
  std::stop_source leave;
  slow.stop = leave.get_token();
  const std::jthread leaver([&leave] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1000));
    (void)leave.request_stop();
  });
  EXPECT_EQ(session.execute(slow).meta.cause, Cause::cancelled);
  EXPECT_EQ(session.execute(bash("cat kept; grep -ls cc1plus /proc/*/comm; ls /tmp")).stdout_text,
            "all of it");
  EXPECT_EQ(session.execute(code_request("cpp", "int main() { return 5; }")).exit_code, 5);
}

// A program that is a module needs a note beside it, which goes with it however it ends.
TEST_P(SessionProgramsOn, LeavesNothingOfAModuleThatWasEnded) {
  const Session session = open([](SessionRequest& request) { request.language = "javascript"; });
  ASSERT_TRUE(session.put({{"helper.js", "module.exports = () => 7;", {}, false}}).ok());
  ExecutionRequest module = code_request(
      "javascript", "import fs from 'node:fs';\nfs.readdirSync('.');\nwhile (true);");
  module.limits.timeout = std::chrono::seconds(2);
  module.limits.grace = std::chrono::milliseconds(300);
  EXPECT_EQ(session.execute(module).meta.cause, Cause::timeout);
  ASSERT_EQ(session.state(), SessionState::ready);
  const ExecutionResult script =
      session.execute(code_request("javascript", "return require('./helper.js')();"));
  EXPECT_EQ(script.value, "7") << to_json(script);
  ASSERT_TRUE(session.put({{"package.json", R"({"type":"module"})", {}, false}}).ok());
  EXPECT_TRUE(session.execute(code_request("javascript", "return 1;")).success());
  EXPECT_TRUE(session.get("package.json", {}).ok()) << "the user's own stays";
}

INSTANTIATE_TEST_SUITE_P(EachBackend, SessionProgramsOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

}  // namespace
}  // namespace lazaret::test
