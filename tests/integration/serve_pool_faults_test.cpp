#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/engine_proxy.hpp"
#include "integration/pooled_daemon.hpp"

// As serve_faults_test.cpp has it, for a daemon that has boxes ready when its engine goes wrong.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;

constexpr std::size_t kReady = 3;
constexpr int kAlways = 1000;
constexpr int kMostRuns = 4 * static_cast<int>(kReady);

struct PoolFault {
  const char* engine;
  const char* name;
  Fault fault;
  const char* cause;
};
void PrintTo(const PoolFault& given, std::ostream* out) { *out << given.name; }

// A daemon with a full pool, and its engine's proxy.
class ServedPool {
 public:
  explicit ServedPool(const std::string& kind)
      : engine_(variable(kind == "docker" ? "LAZARET_TEST_DOCKER" : "LAZARET_TEST_PODMAN")),
        proxy(engine_),
        served(kind, proxy.endpoint(), kReady) {
    served.fill();
  }
  [[nodiscard]] Reply run() const {
    Reply reply = served.run("echo begin-; sleep 0.3; echo end");
    EXPECT_EQ(reply.status, 200) << reply.body;
    EXPECT_EQ(served.daemon().ask("GET", "/v1/health").status, 200);
    return reply;
  }
  // Until one of them ends so: those before it were spared.
  void run_until(const std::string& cause) {
    for (int count = 0; count < kMostRuns; ++count) {
      const Reply reply = run();
      if (proxy.met() > 0 && cause_of(reply) == cause) return;
      ASSERT_EQ(cause_of(reply), "exited") << reply.body;
    }
    FAIL() << "no run met it; " << served.pool();
  }
  void expect_a_good_end() {
    proxy.heal();
    served.expect_to_recover();
    served.expect_to_leave_nothing(engine_);
  }
  [[nodiscard]] std::uint64_t unfit() const { return served.pool().value("unfit", 0U); }

 private:
  std::string engine_;

 public:
  EngineProxy proxy;
  PooledDaemon served;
};

class ServePoolFault : public testing::TestWithParam<PoolFault> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam().engine))
      LAZARET_SKIP_OR_FAIL(GetParam().engine, "no endpoint is given");
  }
};

TEST_P(ServePoolFault, IsAnAnswerAndThePoolFillsAgain) {
  ServedPool pool(GetParam().engine);
  pool.proxy.meet(GetParam().fault);
  ASSERT_NO_FATAL_FAILURE(pool.run_until(GetParam().cause));
  pool.expect_a_good_end();
}

Fault always(std::string at, Heard heard, std::string say, Then then = Then::hang_up) {
  Fault made{.at = std::move(at), .times = kAlways, .heard = heard};
  made.say = std::move(say);
  made.then = then;
  return made;
}
Fault never_finished(std::string at, std::string after) {
  Fault made = always(std::move(at), Heard::all, "");
  made.after = std::move(after);
  return made;
}
Fault slow() {
  Fault made{.at = "POST /", .times = kAlways, .after = "HTTP"};
  made.then = Then::go_on;
  made.late = 500ms;
  return made;
}
Fault shut(Door door) {
  Fault made{.at = "POST /containers/create", .after = "HTTP"};
  made.then = Then::go_on;
  made.door = door;
  return made;
}

const std::string kCreate = "POST /containers/create";
const std::string kFailure = http_answer(500, "{\"message\":\"no\"}");
constexpr const char* kLost = "infrastructure_lost";

std::vector<PoolFault> pool_faults() {
  return {
      {"docker", "Refuses", shut(Door::refuse), "backend_unavailable"},
      {"docker", "IsSilent", always(kCreate, Heard::nothing, "", Then::silence), kLost},
      {"docker", "IsSlow", slow(), "exited"},
      {"docker", "Fails", always(kCreate, Heard::nothing, kFailure), kLost},
      {"docker", "SpeaksGarbage", always(kLook, Heard::nothing, "\x16\x03 no\r\n\r\n"),
       kLost},
      {"docker", "StopsInItsAnswer", never_finished(kCreate, "HTTP/1.1 2"), kLost},
      {"docker", "LosesItsAnswer", always(kCreate, Heard::all, ""), kLost},
      {"docker", "CutsTheStream", never_finished("POST /attach", "begin-"), kLost},
      {"podman", "Refuses", shut(Door::refuse), "backend_unavailable"},
      {"podman", "Fails", always(kCreate, Heard::nothing, kFailure), kLost},
      {"podman", "LosesItsAnswer", always(kCreate, Heard::all, ""), kLost},
      {"podman", "CutsTheStream", never_finished("POST /attach", "begin-"), kLost},
  };
}
INSTANTIATE_TEST_SUITE_P(Of, ServePoolFault, testing::ValuesIn(pool_faults()),
                         [](const auto& given) {
                           return (given.param.engine == std::string("docker") ? "Docker"
                                                                               : "Podman") +
                                  std::string(given.param.name);
                         });

class ServePoolOn : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
  }
};
INSTANTIATE_TEST_SUITE_P(Of, ServePoolOn, testing::Values("docker", "podman"),
                         [](const auto& given) {
                           return given.param == "docker" ? "Docker" : "Podman";
                         });

TEST_P(ServePoolOn, HandsOutNoBoxThatWasCutOffWhileItWaited) {
  ServedPool pool(GetParam());
  EXPECT_GE(pool.proxy.strike("POST /attach", Then::hang_up), static_cast<int>(kReady));
  for (std::size_t count = 0; count < kReady; ++count) EXPECT_EQ(cause_of(pool.run()), "exited");
  EXPECT_GE(pool.unfit(), 1U);
  pool.expect_a_good_end();
}

// Nobody can tell it from one that waits in silence, as it should: it costs a run its time.
TEST_P(ServePoolOn, EndsInTimeARunWhoseWaitingBoxHearsNothing) {
  ServedPool pool(GetParam());
  EXPECT_GE(pool.proxy.strike("POST /attach", Then::silence), static_cast<int>(kReady));
  std::size_t lost = 0;
  for (Reply reply = pool.run(); cause_of(reply) != "exited" && lost < kReady; reply = pool.run()) {
    EXPECT_EQ(cause_of(reply), "timeout") << reply.body;
    EXPECT_THAT(reply.body, HasSubstr("never said that it had started the program"));
    ++lost;
  }
  EXPECT_GE(lost, 1U);
  pool.expect_a_good_end();
}

// Of a box that waits, Podman is asked at each hand-over.
class ServePoolLook : public testing::TestWithParam<PoolFault> {};

TEST_P(ServePoolLook, CostsOneLookAndNoBox) {
  if (!options_for("podman")) LAZARET_SKIP_OR_FAIL("podman", "no endpoint is given");
  ServedPool pool("podman");
  pool.proxy.meet(GetParam().fault);
  const auto begun = std::chrono::steady_clock::now();
  const Reply reply = pool.run();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 20s);
  EXPECT_EQ(cause_of(reply), "exited") << reply.body;
  EXPECT_FALSE(is_made_ahead(reply));
  EXPECT_EQ(pool.proxy.met(), 1);
  EXPECT_EQ(pool.unfit(), 0U);
  EXPECT_TRUE(pool.served.is_full()) << pool.served.pool();
  pool.proxy.heal();
  EXPECT_TRUE(is_made_ahead(pool.run()));
  pool.expect_a_good_end();
}

const std::string kLook = "GET /images/";
INSTANTIATE_TEST_SUITE_P(
    Of, ServePoolLook,
    testing::Values(PoolFault{"podman", "IsSilence",
                              always(kLook, Heard::nothing, "", Then::silence), "exited"},
                    PoolFault{"podman", "IsAFailure", always(kLook, Heard::nothing, kFailure),
                              "exited"},
                    PoolFault{"podman", "IsCut", never_finished(kLook, "HTTP/1.1 2"), "exited"}),
    [](const auto& given) { return given.param.name; });

// By what Docker tells of images a box is known to be of the same one still.
class ServePoolEvents : public testing::TestWithParam<PoolFault> {};

TEST_P(ServePoolEvents, AreMadeUpForByLooking) {
  if (!options_for("docker")) LAZARET_SKIP_OR_FAIL("docker", "no endpoint is given");
  ServedPool pool("docker");
  pool.proxy.meet(GetParam().fault);
  EXPECT_EQ(pool.proxy.strike("GET /events", Then::hang_up), 1);
  ASSERT_TRUE(becomes_true(20s, [&] { return pool.proxy.met() >= 1; }));
  const std::size_t before = pool.proxy.requests().size();
  EXPECT_TRUE(is_made_ahead(pool.run()));
  const std::vector<std::string> asked = pool.proxy.requests();
  EXPECT_THAT(std::vector(asked.begin() + static_cast<std::ptrdiff_t>(before), asked.end()),
              Contains(HasSubstr("/images/")));
  pool.expect_a_good_end();
}

const std::string kEvents = "GET /events";
INSTANTIATE_TEST_SUITE_P(
    Of, ServePoolEvents,
    testing::Values(
        PoolFault{"docker", "AreCut", always(kEvents, Heard::nothing, ""), "exited"},
        PoolFault{"docker", "AreGarbage",
                  always(kEvents, Heard::nothing, http_answer(200, "{]garbage\n")), "exited"},
        PoolFault{"docker", "Fail", always(kEvents, Heard::nothing, kFailure), "exited"},
        PoolFault{"docker", "AreSilent", always(kEvents, Heard::nothing, "", Then::silence),
                  "exited"}),
    [](const auto& given) { return given.param.name; });

}  // namespace
}  // namespace lazaret::test
