#include <unistd.h>

#include <csignal>
#include <memory>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/boxes.hpp"
#include "integration/daemon.hpp"

// A daemon that is told to end while programs run.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;

class ServeEndOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    variables_ = variables_for(GetParam());
    if (!variables_) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
  }
  // The program's words are the mark; ended once it runs.
  Reply answer_of_ended(Daemon& daemon, const std::string& code) {
    const BoxesOf boxes(GetParam(), daemon.pid());
    Reply reply;
    {
      const std::jthread client([&] {
        reply = daemon.ask("POST", "/v1/runs",
                           Json{{"command", {"bash", "-c", code, marker_}}}.dump());
      });
      EXPECT_TRUE(becomes_true(60s, [&] { return !processes_marked(marker_).empty(); }));
      daemon.signal(SIGTERM);
      EXPECT_EQ(daemon.wait(), 0);
    }
    EXPECT_THAT(processes_marked(marker_), IsEmpty());
    EXPECT_THAT(boxes.on_the_engine(), IsEmpty());
    EXPECT_NE(::access(daemon.socket().c_str(), F_OK), 0);
    return reply;
  }

  const std::string marker_ = unique_marker();
  std::optional<std::map<std::string, std::string>> variables_;
};
INSTANTIATE_TEST_SUITE_P(EachBackend, ServeEndOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(ServeEndOn, LetsRunsEndAndLeavesNothing) {
  Daemon daemon({}, *variables_);
  const Reply reply = answer_of_ended(daemon, "sleep 8; echo done");
  EXPECT_EQ(reply.json()["stdout"], "done\n") << reply.status << ' ' << reply.body;
}

TEST_P(ServeEndOn, CancelsRunsThatDoNotEnd) {
  Daemon daemon({"--drain", "1"}, *variables_);
  const Reply reply = answer_of_ended(daemon, "sleep 600; :");
  EXPECT_EQ(reply.json()["meta"]["cause"], "cancelled") << reply.status << ' ' << reply.body;
}

TEST(ServeEnd, LetsItsRunsBeSeenAndCancelledMeanwhile) {
  Daemon daemon({"--drain", "300"});
  const std::string body = bash_body("echo begun; sleep 600", {{"detach", true}});
  const std::string place(daemon.ask("POST", "/v1/runs", body).head.header("Location"));
  EXPECT_EQ(daemon.ask("GET", place + "/output?wait=30").json()["next_offset"], 6);
  daemon.signal(SIGTERM);
  EXPECT_TRUE(becomes_true(
      20s, [&] { return daemon.ask("POST", "/v1/runs", bash_body("true")).status == 503; }));
  EXPECT_EQ(daemon.ask("GET", place).json()["state"], "running");
  EXPECT_EQ(daemon.ask("DELETE", place).status, 202);
  EXPECT_EQ(daemon.wait(), 0);
}

}  // namespace
}  // namespace lazaret::test
