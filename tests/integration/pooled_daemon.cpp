#include "integration/pooled_daemon.hpp"

#include <chrono>
#include <csignal>
#include <thread>

#include "integration/docker_bed.hpp"

namespace lazaret::test {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 90s;  // a pool's longest pause after failures is 30 s

}  // namespace

PooledDaemon::PooledDaemon(const std::string& type, const std::string& endpoint, std::size_t most)
    : most_(most),
      daemon_(std::make_unique<Daemon>(
          std::vector<std::string>{"--type", type, "--host", endpoint, "--no-fallback", "--runs",
                                   "16"},
          std::map<std::string, std::string>{{"LAZARET_POOL_MOST", std::to_string(most)},
                                             {"LAZARET_POOL_IDLE", "600s"}})) {}

Reply PooledDaemon::run(const std::string& code) const {
  return daemon_->ask("POST", "/v1/runs", bash_body(code, {{"limits", {{"timeout_ms", 3000}}}}));
}

void PooledDaemon::fill() const {
  for (int round = 0; round < 10 && !is_full(); ++round) {
    std::vector<std::jthread> runs;
    for (std::size_t count = 0; count < most_ + 1; ++count)
      runs.emplace_back([this] { EXPECT_EQ(cause_of(run("true")), "exited"); });
    runs.clear();
    (void)becomes_true(10s, [this] { return is_full(); });
  }
  ASSERT_TRUE(is_full()) << pool();
}

Json PooledDaemon::pool() const { return pool_of(*daemon_); }

bool PooledDaemon::is_full() const { return pool().value("ready", std::size_t{0}) >= most_; }

void PooledDaemon::expect_to_recover() const {
  EXPECT_EQ(daemon_->ask("GET", "/v1/health").status, 200);
  for (int time = 0; time < 3; ++time) {
    const Reply next = run("echo again");
    EXPECT_EQ(next.json().value("stdout", ""), "again\n") << next.body;
  }
  EXPECT_TRUE(becomes_true(kPatience, [this] { return is_full(); })) << pool();
}

void PooledDaemon::expect_to_leave_nothing(const std::string& engine) {
  const std::string label = "dev.lazaret.pid=" + std::to_string(daemon_->pid());
  daemon_->signal(SIGTERM);
  EXPECT_EQ(daemon_->wait(), 0);
  EXPECT_EQ(left_behind(engine, {label}), std::vector<std::string>());
}

std::string cause_of(const Reply& reply) {
  const Json json = reply.json();
  return json.is_object() && json.contains("meta") ? json["meta"].value("cause", "") : reply.body;
}

bool is_made_ahead(const Reply& reply) {
  const Json json = reply.json();
  return json.is_object() && json.contains("meta") && json["meta"].value("made_ahead", false);
}

}  // namespace lazaret::test
