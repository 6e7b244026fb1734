#include <gtest/gtest.h>

#include "integration/daemon.hpp"

// Clients that do not wait for their answer.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;

// A client that has asked for a program with this word among its arguments, which runs.
std::unique_ptr<Wire> awaiting(const Daemon& daemon, const std::string& marker) {
  const std::string body = Json{{"command", {"bash", "-c", "sleep 60; :", marker}}}.dump();
  auto wire = daemon.connect();
  EXPECT_TRUE(wire->write(bytes_of("POST /v1/runs HTTP/1.1\r\nContent-Length: " +
                                   std::to_string(body.size()) + "\r\n\r\n" + body),
                          Call{}.within(5s))
                  .ok());
  EXPECT_TRUE(becomes_true(10s, [&] { return !processes_marked(marker).empty(); }));
  return wire;
}

TEST(ServeCancel, EndsTheRunOfAClientThatGoesAway) {
  const Daemon daemon;
  const std::string marker = unique_marker();
  awaiting(daemon, marker).reset();
  EXPECT_TRUE(becomes_true(20s, [&] { return processes_marked(marker).empty(); }));
}

TEST(ServeCancel, TakesAClientThatClosesItsSendingSideForGone) {
  const Daemon daemon;
  const std::string marker = unique_marker();
  const auto wire = awaiting(daemon, marker);
  ASSERT_TRUE(wire->close_write().ok());
  EXPECT_EQ(rest_of(*wire, 60s), "");  // its answer would come after 30 s
  EXPECT_TRUE(becomes_true(20s, [&] { return processes_marked(marker).empty(); }));
}

}  // namespace
}  // namespace lazaret::test
