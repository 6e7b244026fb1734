#include <filesystem>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/daemon.hpp"
#include "integration/docker_bed.hpp"
#include "integration/engine_fault_cases.hpp"
#include "integration/engine_proxy.hpp"

// The daemon goes on serving, whatever happens between it and its engine.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;

struct ServedFault {
  const char* name;
  Fault fault;
  const char* cause;
};
void PrintTo(const ServedFault& given, std::ostream* out) { *out << given.name; }

class ServeFault : public testing::TestWithParam<ServedFault> {
 protected:
  void SetUp() override {
    engine_ = variable("LAZARET_TEST_DOCKER");
    if (engine_.empty()) LAZARET_SKIP_OR_FAIL("docker", "no endpoint is given");
  }
  // Made ahead or not: with a pool, boxes would meet the fault that belong to no run.
  [[nodiscard]] static std::unique_ptr<Daemon> daemon_at(EngineProxy& proxy) {
    const std::map<std::string, std::string> unpooled = {{"LAZARET_POOL_MOST", "0"}};
    auto daemon = std::make_unique<Daemon>(
        std::vector<std::string>{"--type", "docker", "--host", proxy.endpoint(), "--no-fallback"},
        unpooled);
    EXPECT_TRUE(becomes_true(20s, [&] { return has_swept(proxy); }));
    return daemon;
  }
  // What a daemon does once, beside its first requests, would meet their faults and open files.
  [[nodiscard]] static bool has_swept(EngineProxy& proxy) {
    const auto asks_for_volumes = [](const std::string& line) {
      return line.starts_with("GET ") && line.find("/volumes?") != line.npos;
    };
    return std::ranges::any_of(proxy.dialogue(), asks_for_volumes);
  }
  static void expect_service(const Daemon& daemon) {
    EXPECT_EQ(daemon.ask("GET", "/v1/health").status, 200);
    const Reply next = daemon.ask("POST", "/v1/runs", bash_body("echo again"));
    EXPECT_EQ(next.status, 200);
    EXPECT_EQ(next.json().value("stdout", ""), "again\n") << next.body;
  }
  void expect_nothing_of(pid_t daemon) const {
    const std::string label = "dev.lazaret.pid=" + std::to_string(daemon);
    EXPECT_TRUE(becomes_true(10s, [&] { return left_behind(engine_, {label}).empty(); }));
  }

  std::string engine_;
};

TEST_P(ServeFault, IsAnAnswerAndTheNextRunIsWell) {
  EngineProxy proxy(engine_);
  const auto daemon = daemon_at(proxy);
  expect_service(*daemon);
  proxy.meet(GetParam().fault);
  const Reply reply = daemon->ask(
      "POST", "/v1/runs",
      bash_body("echo begin-; sleep 0.3; echo end", {{"limits", {{"timeout_ms", 3000}}}}));
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.json()["meta"]["cause"], GetParam().cause) << reply.body;
  EXPECT_GE(proxy.met(), 1);
  EXPECT_EQ(daemon->ask("GET", "/v1/health").status, 200);
  proxy.heal();
  expect_service(*daemon);
  expect_nothing_of(daemon->pid());
}

Fault fault(std::string at, Heard heard, std::string say, Then then = Then::hang_up) {
  Fault made{.at = std::move(at), .heard = heard};
  made.say = std::move(say);
  made.then = then;
  return made;
}
Fault cut(std::string after, Then then) {
  Fault made{.at = "POST /attach", .after = std::move(after)};
  made.then = then;
  return made;
}
Fault door(Door to) {
  Fault made{.at = "POST /containers/create", .after = "HTTP"};
  made.then = Then::go_on;
  made.door = to;
  return made;
}

INSTANTIATE_TEST_SUITE_P(
    Of, ServeFault,
    testing::Values(
        ServedFault{"HangsUp", fault("POST /containers/create", Heard::nothing, ""),
                    "infrastructure_lost"},
        ServedFault{"LosesAnAnswer", fault("POST /containers/create", Heard::all, ""),
                    "infrastructure_lost"},
        ServedFault{"Fails",
                    fault("POST /containers/create", Heard::nothing,
                          http_answer(500, "{\"message\":\"no\"}")),
                    "infrastructure_lost"},
        ServedFault{"SpeaksGarbage", fault(kLook, Heard::nothing, "\x16\x03garbage\r\n\r\n"),
                    "infrastructure_lost"},
        ServedFault{"CutsTheStream", cut("begin-", Then::hang_up), "infrastructure_lost"},
        ServedFault{"StallsTheStream", cut("begin-", Then::silence), "timeout"},
        ServedFault{"RefusesToConnect", door(Door::refuse), "backend_unavailable"},
        ServedFault{"TakesItsSocketAway", door(Door::vanish), "backend_unavailable"}),
    [](const auto& given) { return given.param.name; });

// Who says nothing at all while a box is made or taken away is waited for long; and what a backend
// has seen of its engine once it does not look at again.
bool is_short(const FaultCase& given) {
  const bool is_first =
      given.name.starts_with("RunnerCheck") || given.name.starts_with("TrialKill");
  return !is_first && (given.fault.then != Then::silence || given.program == Program::lost);
}

std::vector<FaultCase> short_faults() {
  std::vector<FaultCase> cases;
  for (const auto& list :
       {faults_while_making(), wrong_answers(), faults_of_the_stream(), faults_while_ending()})
    std::copy_if(list.begin(), list.end(), std::back_inserter(cases), is_short);
  for (FaultCase& given : cases) {
    if (given.fault.at == "POST /kill") given.fault.from = 1;  // there is no trial before it
  }
  return cases;
}

// A container that cannot be begun with may lack the runner's volume: nothing has run, and it is
// made once more.
bool may_be_healed(const FaultCase& given) {
  const char* const steps[] = {"Attach", "Wait", "Start"};
  return given.program == Program::not_run &&
         std::ranges::any_of(steps, [&](const char* step) { return given.name.starts_with(step); });
}

std::string body_of(const FaultCase& given) {
  const std::string mark(kMarkerBytes, 'm');
  std::string code = given.code;
  for (std::size_t at; (at = code.find("$0")) != code.npos;) code.replace(at, 2, mark);
  Json controls = Json::array();
  for (const Control control : all_controls()) controls.push_back(name_of(control));
  return bash_body(code, {{"limits", {{"timeout_ms", given.timeout.count()}, {"grace_ms", 200}}},
                          {"required_controls", controls}});
}

// How much a process holds of what its folder in /proc lists.
std::ptrdiff_t count_of(const Daemon& daemon, const char* what) {
  const std::string folder = "/proc/" + std::to_string(daemon.pid()) + "/" + what;
  const std::filesystem::directory_iterator all(folder);
  return std::distance(begin(all), end(all));
}

// One daemon outlives them all, and gathers nothing.
TEST_F(ServeFault, OfEachKindIsAnAnswerOfOneDaemon) {
  EngineProxy proxy(engine_);
  const auto daemon = daemon_at(proxy);
  expect_service(*daemon);
  const auto descriptors = count_of(*daemon, "fd"), threads = count_of(*daemon, "task");
  const std::vector<FaultCase> cases = short_faults();
  EXPECT_GE(cases.size(), 90U);
  for (const FaultCase& given : cases) {
    SCOPED_TRACE(given.name);
    proxy.meet(given.fault);
    const auto asked = std::chrono::steady_clock::now();
    const Json result = daemon->ask("POST", "/v1/runs", body_of(given)).json();
    EXPECT_LT(std::chrono::steady_clock::now() - asked, 30s);
    EXPECT_GE(proxy.met(), 1);
    ASSERT_TRUE(result.contains("meta")) << result.dump();
    const bool is_healed = may_be_healed(given) && result["exit_code"] == 0;
    const Cause cause = is_healed ? Cause::exited : given.cause;
    EXPECT_EQ(result["meta"]["cause"], name_of(cause)) << result.dump(1);
    EXPECT_EQ(result["truncated"], given.program == Program::lost);
    proxy.heal();
    expect_service(*daemon);
  }
  EXPECT_TRUE(becomes_true(20s, [&] { return count_of(*daemon, "fd") <= descriptors + 1; }))
      << count_of(*daemon, "fd") << " descriptors instead of " << descriptors;
  EXPECT_TRUE(becomes_true(20s, [&] { return count_of(*daemon, "task") <= threads + 1; }))
      << count_of(*daemon, "task") << " threads instead of " << threads;
  expect_nothing_of(daemon->pid());
}

// While one run waits for an engine that says nothing, others are served; its client may leave.
TEST_F(ServeFault, OfSilenceHoldsNobodyElseUp) {
  EngineProxy proxy(engine_);
  const auto daemon = daemon_at(proxy);
  expect_service(*daemon);
  proxy.meet(fault(kLook, Heard::nothing, "", Then::silence));
  auto waiting = daemon->connect();
  const std::string body = bash_body("echo never");
  ASSERT_TRUE(waiting
                  ->write(bytes_of("POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: " +
                                   std::to_string(body.size()) + "\r\n\r\n" + body),
                          Call{}.within(5s))
                  .ok());
  ASSERT_TRUE(becomes_true(20s, [&] { return proxy.met() == 1; }));
  expect_service(*daemon);
  waiting.reset();
  expect_nothing_of(daemon->pid());
  expect_service(*daemon);
}

}  // namespace
}  // namespace lazaret::test
