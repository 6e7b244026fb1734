#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/boxes.hpp"
#include "integration/daemon.hpp"

// Clients that do not wait for their answer.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;

class ServeCancelOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto variables = variables_for(GetParam());
    if (!variables) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
    (*variables)["LAZARET_POOL_MOST"] = "0";  // whose boxes stay
    daemon_.emplace(std::vector<std::string>{}, *variables);
  }
  // A client that has asked for a program with a word of its own, which runs.
  [[nodiscard]] std::unique_ptr<Wire> awaiting() const {
    const std::string body = Json{{"command", {"bash", "-c", "sleep 600; :", marker_}}}.dump();
    auto wire = daemon_->connect();
    EXPECT_TRUE(wire->write(bytes_of("POST /v1/runs HTTP/1.1\r\nContent-Length: " +
                                     std::to_string(body.size()) + "\r\n\r\n" + body),
                            Call{}.within(5s))
                    .ok());
    EXPECT_TRUE(becomes_true(30s, [&] { return !processes_marked(marker_).empty(); }));
    return wire;
  }
  void expect_nothing() const {
    const BoxesOf boxes(GetParam(), daemon_->pid());
    EXPECT_TRUE(becomes_true(20s, [&] { return processes_marked(marker_).empty(); }));
    EXPECT_TRUE(becomes_true(20s, [&] { return boxes.on_the_engine().empty(); }));
    EXPECT_EQ(daemon_->ask("POST", "/v1/runs", bash_body("echo on")).json()["stdout"], "on\n");
  }

  const std::string marker_ = unique_marker();
  std::optional<Daemon> daemon_;
};
INSTANTIATE_TEST_SUITE_P(EachBackend, ServeCancelOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(ServeCancelOn, EndsTheRunOfAClientThatGoesAway) {
  awaiting().reset();
  expect_nothing();
}

TEST_P(ServeCancelOn, TakesAClientThatClosesItsSendingSideForGone) {
  const auto wire = awaiting();
  ASSERT_TRUE(wire->close_write().ok());
  EXPECT_EQ(rest_of(*wire, 60s), "");
  expect_nothing();
}

}  // namespace
}  // namespace lazaret::test
