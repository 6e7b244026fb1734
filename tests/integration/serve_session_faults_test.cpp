#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/daemon.hpp"
#include "integration/docker_bed.hpp"
#include "integration/engine_proxy.hpp"

// As serve_faults_test.cpp has it, for what outlives one run, and for who hears of one while it
// goes on.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class ServeLostEngineOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto options = options_for(GetParam());
    if (!options) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
    engine_ = options->host.value();
    proxy_.emplace(engine_);
    daemon_.emplace(std::vector<std::string>{"--type", GetParam(), "--host", proxy_->endpoint(),
                                             "--no-fallback", "--sessions", "1"},
                    std::map<std::string, std::string>{{"LAZARET_POOL_MOST", "0"}});
    EXPECT_EQ(daemon_->ask("GET", "/v1/ready").status, 200);
    expect_nothing_left();  // of the trial
    session_ = opened();
  }
  // Its place is the only one.
  [[nodiscard]] std::string opened() const {
    const Reply reply = daemon_->ask("POST", "/v1/sessions", R"({"language": "bash"})");
    EXPECT_EQ(reply.status, 201) << reply.body;
    return reply.json().value("session_id", "");
  }
  [[nodiscard]] Reply run(const std::string& code, Json more = Json::object()) const {
    more["session"] = session_;
    const auto begin = std::chrono::steady_clock::now();
    Reply reply = daemon_->ask("POST", "/v1/runs", bash_body(code, more));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
    return reply;
  }
  [[nodiscard]] std::string state() const {
    return daemon_->ask("GET", "/v1/sessions/" + session_).json().value("state", "");
  }
  void expect_that_it_is_lost() {
    EXPECT_TRUE(becomes_true(20s, [&] { return state() == "lost"; })) << state();
    EXPECT_EQ(run("echo on").status, 409);
    const Reply files = daemon_->ask("GET", "/v1/sessions/" + session_ + "/files");
    EXPECT_EQ(files.status, 409) << files.body;
    proxy_->heal();
    session_ = opened();
    EXPECT_EQ(run("echo on").json().value("stdout", ""), "on\n");
    EXPECT_EQ(daemon_->ask("DELETE", "/v1/sessions/" + session_).status, 204);
    expect_nothing_left();
  }
  void expect_nothing_left() const { expect_nothing_left_of(daemon_->pid()); }
  void expect_nothing_left_of(pid_t daemon) const {
    const std::string label = "dev.lazaret.pid=" + std::to_string(daemon);
    EXPECT_TRUE(becomes_true(20s, [&] { return left_behind(engine_, {label}).empty(); }))
        << testing::PrintToString(left_behind(engine_, {label}));
  }

  std::string engine_, session_;
  std::optional<EngineProxy> proxy_;
  std::optional<Daemon> daemon_;
};
INSTANTIATE_TEST_SUITE_P(EachEngine, ServeLostEngineOn, testing::Values("docker", "podman"),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(ServeLostEngineOn, LosesASessionWhoseStreamIsCutBetweenItsRuns) {
  EXPECT_EQ(run("echo > /work/file; echo on").json().value("stdout", ""), "on\n");
  EXPECT_EQ(proxy_->strike("POST /attach", Then::hang_up), 1);
  const Json result = run("echo on").json();
  EXPECT_EQ(result["meta"]["cause"], "infrastructure_lost") << result.dump(1);
  EXPECT_EQ(result["stdout"], "");
  expect_that_it_is_lost();
}

TEST_P(ServeLostEngineOn, LosesASessionWhoseStreamIsCutInARun) {
  std::jthread cutter([this] {
    EXPECT_TRUE(becomes_true(20s, [&] { return proxy_->has_passed("sleep 600"); }));
    EXPECT_EQ(proxy_->strike("POST /attach", Then::hang_up), 1);
  });
  const Json result = run("echo begin; sleep 600").json();
  cutter.join();
  EXPECT_EQ(result["meta"]["cause"], "infrastructure_lost") << result.dump(1);
  EXPECT_EQ(result["truncated"], true);
  expect_that_it_is_lost();
}

TEST_P(ServeLostEngineOn, BoundsARunOfASessionWhoseStreamIsSilent) {
  EXPECT_EQ(proxy_->strike("POST /attach", Then::silence), 1);
  const Json result = run("echo", {{"limits", {{"timeout_ms", 1000}, {"grace_ms", 200}}}}).json();
  EXPECT_NE(result["meta"]["cause"], "exited") << result.dump(1);
  expect_that_it_is_lost();
}

TEST_P(ServeLostEngineOn, IsNotReadyInBoundedTimeWhereTheEngineSaysNothing) {
  proxy_->meet(
      Fault{.at = "POST /attach", .times = 9, .heard = Heard::nothing, .then = Then::silence});
  Daemon daemon({"--type", GetParam(), "--host", proxy_->endpoint(), "--no-fallback"});
  const auto asked = std::chrono::steady_clock::now();
  const Reply reply = daemon.ask("GET", "/v1/ready");
  EXPECT_EQ(reply.status, 503) << reply.body;
  EXPECT_NE(reply.head.header("Retry-After"), "");
  EXPECT_LT(std::chrono::steady_clock::now() - asked, 13s);
  EXPECT_EQ(daemon.ask("GET", "/v1/health").status, 200);
  proxy_->heal();
  const pid_t pid = daemon.pid();
  daemon.signal(SIGTERM);
  EXPECT_EQ(daemon.wait(), 0);
  expect_nothing_left_of(pid);
}

TEST_P(ServeLostEngineOn, TellsWhoHearsEventsThatTheRestIsMissing) {
  EXPECT_EQ(daemon_->ask("DELETE", "/v1/sessions/" + session_).status, 204);
  Fault cut{.at = "POST /attach", .after = "begin-"};
  proxy_->meet(cut);
  const Reply reply = daemon_->ask("POST", "/v1/runs", bash_body("echo begin-; sleep 600"),
                                   {{"Accept", "text/event-stream"}});
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.body, HasSubstr("\"cause\":\"infrastructure_lost\""));
  EXPECT_THAT(reply.body, HasSubstr("\"truncated\":true"));
  proxy_->heal();
  expect_nothing_left();
}

TEST_P(ServeLostEngineOn, KeepsWhatBecameOfARunThatNobodyWaitsFor) {
  EXPECT_EQ(daemon_->ask("DELETE", "/v1/sessions/" + session_).status, 204);
  Fault cut{.at = "POST /attach", .after = "begin-"};
  proxy_->meet(cut);
  const Reply started =
      daemon_->ask("POST", "/v1/runs", bash_body("echo begin-; sleep 600", {{"detach", true}}));
  const std::string place(started.head.header("Location"));
  const Json ended = daemon_->ask("GET", place + "?wait=30").json();
  EXPECT_EQ(ended["result"]["meta"]["cause"], "infrastructure_lost") << ended.dump(1);
  EXPECT_EQ(ended["result"]["truncated"], true);
  proxy_->heal();
  expect_nothing_left();
}

}  // namespace
}  // namespace lazaret::test
