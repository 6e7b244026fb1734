#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/pooled_daemon.hpp"
#include "integration/private_engine.hpp"

// The engine itself is stopped, or killed, under a daemon with boxes that wait in it.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::AnyOf;

constexpr std::size_t kBoxes = 3;

class ServePoolOutage : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    endpoint_ = variable(GetParam() == "docker" ? "LAZARET_TEST_DOCKER" : "LAZARET_TEST_PODMAN");
    if (endpoint_.empty()) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
    engine_ = std::make_unique<PrivateEngine>(GetParam(), endpoint_);
    if (!engine_->is_ours())
      LAZARET_SKIP_OR_FAIL("own_engine", "this engine was not started for the tests");
    serve();
  }
  void serve() {
    served_ = std::make_unique<PooledDaemon>(GetParam(), endpoint_, kBoxes);
    served_->fill();
  }
  // One answer in time, and who asks for the daemon's health has his meanwhile.
  [[nodiscard]] Reply ask_in_trouble() const {
    Reply reply;
    std::jthread asks([&] { reply = served_->run("echo $0 here"); });
    EXPECT_EQ(served_->daemon().ask("GET", "/v1/health").status, 200);
    asks.join();
    EXPECT_EQ(reply.status, 200) << "none within a minute";
    return reply;
  }
  void expect_a_good_end() const {
    served_->expect_to_recover();
    served_->expect_to_leave_nothing(endpoint_);
  }
  // While `marker` runs, and boxes wait beside it.
  [[nodiscard]] Reply killed_under(const std::string& marker) {
    Reply reply;
    std::jthread asks([&] { reply = served_->run("exec sh -c 'sleep 60; echo end' " + marker); });
    EXPECT_TRUE(becomes_true(20s, [&] { return !processes_marked(marker).empty(); }));
    EXPECT_TRUE(engine_->kill());
    asks.join();
    return reply;
  }

  std::string endpoint_;
  std::unique_ptr<PrivateEngine> engine_;
  std::unique_ptr<PooledDaemon> served_;
};
INSTANTIATE_TEST_SUITE_P(Engines, ServePoolOutage, testing::Values("docker", "podman"),
                         [](const auto& given) {
                           return given.param == "docker" ? "Docker" : "Podman";
                         });

TEST_P(ServePoolOutage, OfAStoppedEngineEndsWithIt) {
  engine_->stop();
  {
    std::vector<std::jthread> asks;
    for (std::size_t count = 0; count < kBoxes + 1; ++count)
      asks.emplace_back([this] {
        EXPECT_THAT(cause_of(ask_in_trouble()),
                    AnyOf("timeout", "infrastructure_lost", "backend_unavailable"));
      });
  }
  engine_->go_on();
  expect_a_good_end();
}

TEST_P(ServePoolOutage, OfAKilledEngineEndsWithItsNextStart) {
  const std::string marker = unique_marker();
  EXPECT_EQ(cause_of(killed_under(marker)), "infrastructure_lost");
  EXPECT_EQ(cause_of(ask_in_trouble()), "backend_unavailable");
  ASSERT_TRUE(engine_->restart());
  served_->expect_to_recover();
  EXPECT_TRUE(becomes_true(20s, [&] { return processes_marked(marker).empty(); }));
  served_->expect_to_leave_nothing(endpoint_);
}

// Containers outlive their engine: what ran is ended all the same, what waited is nobody's.
class ServePoolLiveRestore : public ServePoolOutage {
 protected:
  void SetUp() override {
    ServePoolOutage::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    served_.reset();
    engine_->set_live_restore(true);
    ASSERT_TRUE(engine_->restart());
    serve();
  }
  void TearDown() override {
    if (!engine_ || !engine_->is_ours()) return;
    engine_->set_live_restore(false);
    EXPECT_TRUE(engine_->restart());
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, ServePoolLiveRestore, testing::Values("docker"),
                         [](const auto&) { return "Docker"; });

TEST_P(ServePoolLiveRestore, LeavesNothingOfWhatOutlivedTheEngine) {
  const std::string marker = unique_marker();
  EXPECT_EQ(cause_of(killed_under(marker)), "infrastructure_lost");
  EXPECT_EQ(cause_of(ask_in_trouble()), "backend_unavailable");
  EXPECT_FALSE(processes_marked(marker).empty()) << "it has not outlived its engine";
  const auto unfit = served_->pool().value("unfit", 0U);
  ASSERT_TRUE(engine_->restart());
  served_->expect_to_recover();
  EXPECT_GE(unfit, kBoxes - 1) << "those that were cut off beside the one that ran";
  EXPECT_TRUE(becomes_true(20s, [&] { return processes_marked(marker).empty(); }));
  served_->expect_to_leave_nothing(endpoint_);
}

}  // namespace
}  // namespace lazaret::test
