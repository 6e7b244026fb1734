#include <sys/wait.h>

#include <csignal>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/daemon.hpp"
#include "integration/loopback.hpp"

// Nothing of the daemon grows or waits without a bound, whatever its clients do.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string request_with_head_of(std::size_t bytes) {
  const std::string start = "GET /v1/health HTTP/1.1\r\nConnection: close\r\nX-Padding: ";
  return start + std::string(bytes - start.size() - 4, 'x') + "\r\n\r\n";
}

TEST(ServeBounds, TakesAHeadOf16KibibytesAndNotOneByteMore) {
  const Daemon daemon;
  EXPECT_THAT(daemon.say(request_with_head_of(16384)), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(daemon.say(request_with_head_of(16385)), StartsWith("HTTP/1.1 431"));
  EXPECT_THAT(daemon.say(request_with_head_of(1 << 20)), StartsWith("HTTP/1.1 431"));
}

TEST(ServeBounds, TakesABodyOf8MebibytesAndNotOneByteMore) {
  const Daemon daemon;
  const std::string blank(8U << 20, ' ');
  EXPECT_EQ(daemon.ask("POST", "/v1/runs", blank).status, 400);
  EXPECT_EQ(daemon.ask("POST", "/v1/runs", blank + " ").status, 413);
  EXPECT_THAT(daemon.say("POST /v1/runs HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n"),
              StartsWith("HTTP/1.1 413"));
}

TEST(ServeBounds, TakesNoMoreBytesOfAllRequestsTogetherThanItSays) {
  const Daemon daemon;
  std::vector<std::unique_ptr<Wire>> held;
  const std::string head = "POST /v1/runs HTTP/1.1\r\nContent-Length: 8388608\r\n\r\n";
  for (int index = 0; index < 8; ++index) {
    held.push_back(daemon.connect());
    ASSERT_TRUE(held.back()->write(bytes_of(head), Call{}.within(5s)).ok());
  }
  ASSERT_TRUE(becomes_true(20s, [&] { return daemon.ask("POST", "/v1/runs", " ").status == 503; }));
  held.pop_back();
  EXPECT_TRUE(becomes_true(20s, [&] { return daemon.ask("POST", "/v1/runs", " ").status == 400; }));
}

TEST(ServeBounds, QueuesAsManyRunsAsItSaysAndAnswersTheNextWith429) {
  const Daemon daemon({"--runs", "1", "--queue", "1"});
  const auto start = [&daemon] {
    return daemon.ask("POST", "/v1/runs", bash_body("sleep 60", {{"detach", true}}));
  };
  const Reply first = start();
  const Reply second = start();
  EXPECT_EQ(first.status, 202);
  EXPECT_EQ(second.status, 202);
  const Reply third = start();
  EXPECT_EQ(third.status, 429);
  EXPECT_EQ(third.head.header("Retry-After"), "1");
  for (const Reply& reply : {first, second})
    EXPECT_EQ(daemon.ask("DELETE", std::string(reply.head.header("Location"))).status, 202);
  EXPECT_TRUE(becomes_true(20s, [&] { return start().status == 202; }));
}

TEST(ServeBounds, HasRoomForAsManyConnectionsAsItSaysAndTellsTheNext) {
  const Daemon daemon({"--connections", "2"});
  auto first = daemon.connect();
  const auto second = daemon.connect();
  Reply refused;
  ASSERT_TRUE(becomes_true(20s, [&] {
    refused = daemon.ask("GET", "/v1/health");
    return refused.status == 503;
  }));
  EXPECT_EQ(refused.head.header("Retry-After"), "1");
  EXPECT_EQ(refused.json()["type"], "urn:lazaret:problem:too_many_connections");
  EXPECT_NE(refused.head.header("X-Request-Id"), "");
  EXPECT_EQ(refused.head.header("X-Request-Id"), refused.json()["request_id"].get<std::string>());
  first.reset();
  EXPECT_TRUE(becomes_true(20s, [&] { return daemon.ask("GET", "/v1/health").status == 200; }));
  EXPECT_THAT(daemon.ask("GET", "/v1/metrics").body,
              ContainsRegex("lazaret_connections_turned_away_total [1-9]"));
}

TEST(ServeBounds, GivesUpARequestThatDoesNotArrive) {
  const Daemon daemon({"--request-timeout", "1"});
  EXPECT_THAT(daemon.say("GET /v1/hea"), StartsWith("HTTP/1.1 408"));
  EXPECT_THAT(daemon.say("POST /v1/runs HTTP/1.1\r\nContent-Length: 5\r\n\r\n{"),
              StartsWith("HTTP/1.1 408"));
}

// The daemon finds the end of the request and of its time at the same moment.
TEST(ServeBounds, DoesNotGiveUpARequestThatItHasTaken) {
  const Daemon daemon({"--request-timeout", "3"});
  const auto wire = daemon.connect();
  const std::string body = bash_body("sleep 0.2; echo out");
  ASSERT_TRUE(wire->write(bytes_of("POST /v1/runs HTTP/1.1\r\nContent-Length: " +
                                   std::to_string(body.size()) + "\r\n\r\n"),
                          Call{}.within(5s))
                  .ok());
  EXPECT_EQ(daemon.ask("GET", "/v1/health").status, 200);  // the beginning has been read
  daemon.signal(SIGSTOP);
  ASSERT_EQ(::waitpid(daemon.pid(), nullptr, WUNTRACED), daemon.pid());
  ASSERT_TRUE(wire->write(bytes_of(body), Call{}.within(5s)).ok());
  std::this_thread::sleep_for(3200ms);
  daemon.signal(SIGCONT);
  EXPECT_THAT(text_until(*wire, "out"), StartsWith("HTTP/1.1 200"));
}

bool has_run(const Daemon& daemon) {
  const std::string metrics = daemon.ask("GET", "/v1/metrics").body;
  return metrics.find("lazaret_run_seconds_count 1") != std::string::npos;
}

TEST(ServeBounds, GivesUpAClientThatNeverReads) {
  const Daemon daemon({"--write-timeout", "1"});
  const auto wire = daemon.connect();
  const std::string body = Json{{"code", "print('x' * 900000)"}}.dump();
  const std::string request =
      "POST /v1/runs HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
      body;
  ASSERT_TRUE(wire->write(bytes_of(request), Call{}.within(5s)).ok());
  ASSERT_TRUE(becomes_true(30s, [&] { return has_run(daemon); }));
  std::this_thread::sleep_for(3s);  // it hangs up after one
  EXPECT_LT(rest_of(*wire, 5s).size(), 900'000U);
}

class ServeMalformed : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(ServeMalformed, IsRefusedAndTheConnectionClosed) {
  const Daemon daemon;
  const std::string answer = daemon.say(GetParam().second);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 4"));
  EXPECT_THAT(answer, HasSubstr("Connection: close"));
  EXPECT_EQ(daemon.ask("GET", "/v1/health").status, 200);
}

TEST_P(ServeMalformed, IsRefusedOverTcpTooThoughItHasTheToken) {
  const std::string port = free_port();
  const Daemon daemon({"--listen", "127.0.0.1:" + port}, {{"LAZARET_TOKEN", kToken}});
  const auto wire = connected_to(port);
  ASSERT_TRUE(wire->write(bytes_of(with_token(GetParam().second)), Call{}.within(5s)).ok());
  const std::string answer = rest_of(*wire, 10s);
  EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 4"), Not(StartsWith("HTTP/1.1 401"))));
  EXPECT_THAT(answer, HasSubstr("Connection: close"));
  EXPECT_EQ(daemon.ask("GET", "/v1/health").status, 200);
}

INSTANTIATE_TEST_SUITE_P(
    Of, ServeMalformed,
    testing::Values(
        std::pair{"NoHttp", "BOGUS\r\n\r\n"}, std::pair{"Binary", "\x16\x03\x01\x02\r\n\r\n\x01"},
        std::pair{"NegativeLength", "POST /v1/runs HTTP/1.1\r\nContent-Length: -1\r\n\r\n"},
        std::pair{"TwoLengths",
                  "POST /v1/runs HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}"},
        std::pair{"LengthAndChunks",
                  "POST /v1/runs HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n"
                  "\r\n0\r\n\r\n"},
        std::pair{"Chunks",
                  "POST /v1/runs HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
        std::pair{"ASpaceBeforeTheColon", "GET /v1/health HTTP/1.1\r\nHost : a\r\n\r\n"}),
    [](const auto& given) { return given.param.first; });

}  // namespace
}  // namespace lazaret::test
