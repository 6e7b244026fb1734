#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/egress/hello.hpp"
#include "unit/egress/ways_out.hpp"

namespace lazaret::egress {
namespace {

TEST_F(WaysOut, CarryBothWaysUntilBothHaveEnded) {
  allow({"a.org"});
  const auto wire = tunnel_to("A.org.:443");
  say(*wire, "question");
  (void)wire->close_write();
  EXPECT_EQ(read_all(far("a.org")), "question");
  say(far("a.org"), "answer");
  (void)far("a.org").close_write();
  EXPECT_EQ(read_all(*wire), "answer");
  const auto connections = seen();
  ASSERT_EQ(connections.size(), 1U);
  EXPECT_EQ(connections[0].host, "a.org");
  EXPECT_EQ(connections[0].port, 443);
  EXPECT_EQ(connections[0].outcome, Outcome::made);
  EXPECT_EQ(connections[0].sent_bytes, 8U);
  EXPECT_EQ(connections[0].received_bytes, 6U);
  EXPECT_TRUE(seen().empty());
}

TEST_F(WaysOut, LeadNowhereElse) {
  allow({"a.org"});
  const std::string answer = answer_to("CONNECT b.org:443 HTTP/1.1\r\n\r\n");
  EXPECT_THAT(answer, testing::StartsWith("HTTP/1.1 403 Forbidden\r\nX-Proxy-Error: "));
  EXPECT_THAT(answer, testing::EndsWith(
                          "\r\n\r\nlazaret: b.org:443 is none of the hosts that this program may "
                          "reach\n"));
  EXPECT_FALSE(was_asked_for("b.org"));
  const auto connections = seen();
  ASSERT_EQ(connections.size(), 1U);
  EXPECT_EQ(connections[0].outcome, Outcome::denied);
  EXPECT_THAT(connections[0].reason, testing::HasSubstr("none of the hosts"));
}

TEST_F(WaysOut, SayWhyTheyLeadNowhere) {
  allow({"nowhere.org", "slow.org", "inner.org"});
  EXPECT_THAT(answer_to("CONNECT nowhere.org:443 HTTP/1.1\r\n\r\n"),
              testing::StartsWith("HTTP/1.1 502 "));
  EXPECT_THAT(answer_to("CONNECT slow.org:443 HTTP/1.1\r\n\r\n"),
              testing::StartsWith("HTTP/1.1 504 "));
  EXPECT_THAT(answer_to("CONNECT inner.org:443 HTTP/1.1\r\n\r\n"),
              testing::StartsWith("HTTP/1.1 403 "));
  std::vector<Outcome> outcomes;
  for (const Connection& connection : seen()) outcomes.push_back(connection.outcome);
  EXPECT_THAT(outcomes, testing::ElementsAre(Outcome::failed, Outcome::failed, Outcome::denied));
}

// The target decides, whatever the other fields say; what is the proxy's stays here.
TEST_F(WaysOut, AskPlainHostsForThemselves) {
  allow({"a.org"});
  const auto wire = client();
  say(*wire,
      "POST HTTP://a.org/p?q#f HTTP/1.1\r\nHost: b.org\r\nProxy-Authorization: Basic eDp5\r\n"
      "Connection: keep-alive, X-Hop\r\nX-Hop: 1\r\nX-Mine: 1\r\nContent-Length: 4\r\n\r\nbody");
  (void)wire->close_write();
  const std::string kExpected =
      "POST /p?q#f HTTP/1.1\r\nHost: a.org\r\nX-Mine: 1\r\nContent-Length: 4\r\n"
      "Connection: close\r\n\r\nbody";
  ASSERT_TRUE(becomes([&] { return was_asked_for("a.org"); }));
  EXPECT_EQ(read_all(far("a.org")), kExpected);
}

TEST_F(WaysOut, LetTlsAskForAllowedHostsAlone) {
  allow({"a.org", "*.b.org"});
  const auto passes = [this](const std::string& words) {
    const auto wire = tunnel_to("a.org:443");
    for (const char byte : words) say(*wire, std::string(1, byte));
    (void)wire->close_write();
    return read_all(far("a.org")) == words;
  };
  EXPECT_TRUE(passes(hello_for("a.org")));
  EXPECT_TRUE(passes(hello_for("x.b.org")));
  EXPECT_TRUE(passes(record(handshake(""))));
  EXPECT_TRUE(passes("SSH-2.0-x\r\n"));
  EXPECT_TRUE(passes(hello_for("a.org").substr(0, 20)));
  (void)seen();
  for (const std::string& hello :
       {hello_for("evil.net"), record(handshake("rest")), hello_for("evil.net/.b.org")}) {
    const auto wire = tunnel_to("a.org:443");
    say(*wire, hello);
    EXPECT_EQ(read_all(*wire), "");
    EXPECT_EQ(read_all(far("a.org")), "");
  }
  const auto connections = seen();
  ASSERT_EQ(connections.size(), 3U);
  EXPECT_EQ(connections[0].outcome, Outcome::denied);
  EXPECT_EQ(connections[0].reason, "TLS was asked for evil.net");
  EXPECT_EQ(connections[1].reason, "its TLS cannot be read");
  EXPECT_EQ(connections[2].reason, "its TLS asks for no name of a host");
}

TEST_F(WaysOut, TakeHeadsOfSixteenKiB) {
  allow({"a.org"});
  const auto of = [](std::size_t size) {
    const std::string begin = "GET / HTTP/1.1\r\nX: ";
    return begin + std::string(size - begin.size() - 4, 'x') + "\r\n\r\n";
  };
  EXPECT_THAT(answer_to(of(16 << 10)), testing::HasSubstr("this is a proxy"));
  EXPECT_THAT(answer_to(of((16 << 10) + 1)), testing::HasSubstr("more than 16 KiB"));
  for (const char* const text : {"", "no HTTP\r\n\r\n", "CONNECT a.org:443 HTTP/1.1\r\n"})
    EXPECT_THAT(answer_to(text), testing::Not(testing::HasSubstr(" 200 "))) << text;
}

TEST_F(WaysOut, HaveSixtyFourAtATime) {
  allow({"a.org"});
  std::vector<std::unique_ptr<Wire>> wires;
  for (int count = 0; count < 64; ++count) wires.push_back(tunnel_to("a.org:443"));
  EXPECT_THAT(read_all(*client()), testing::StartsWith("HTTP/1.1 503 "));
  EXPECT_EQ(proxy_->take_seen().turned_away,
            (std::map<std::string, std::uint64_t>{{"64 connections are open already", 1}}));
  wires.clear();
  EXPECT_TRUE(becomes([&] {
    const auto wire = client();
    return wire->write(bytes_of("CONNECT a.org:443 HTTP/1.1\r\n\r\n"), soon()).ok() &&
           read_some(*wire, 12) == "HTTP/1.1 200";
  }));
}

TEST_F(WaysOut, MakeEightAtATime) {
  allow({"silent.org"});
  std::vector<std::unique_ptr<Wire>> wires;
  for (int count = 0; count < 9; ++count) {
    wires.push_back(client());
    say(*wires.back(), "CONNECT silent.org:443 HTTP/1.1\r\n\r\n");
  }
  EXPECT_TRUE(becomes([this] { return connecting_ == 8; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(connecting_, 8);
}

TEST_F(WaysOut, ListTwoHundredAndFiftySix) {
  allow({"a.org"});
  for (int count = 0; count < 258; ++count) (void)answer_to("CONNECT b.org:443 HTTP/1.1\r\n\r\n");
  const Ledger::Seen seen = proxy_->take_seen();
  EXPECT_EQ(seen.connections.size(), 256U);
  EXPECT_EQ(seen.unlisted, 2U);
}

// What was said of a body is the host's to know.
TEST_F(WaysOut, TakeBodiesOfAnySize) {
  allow({"a.org"});
  const auto wire = client();
  say(*wire, "PUT http://a.org/ HTTP/1.0\r\nContent-Length: 5000000\r\n\r\n");
  ASSERT_TRUE(becomes([&] { return was_asked_for("a.org"); }));
  EXPECT_EQ(read_some(far("a.org"), 14), "PUT / HTTP/1.0");
  const std::string denied = answer_to(
      "PUT http://b.org/ HTTP/1.1\r\nContent-Length: 500000\r\n\r\n" + std::string(500'000, 'x'));
  EXPECT_THAT(denied, testing::HasSubstr("none of the hosts"));
}

TEST_F(WaysOut, TellOfWhatIsNotMadeYetAsThat) {
  allow({"silent.org"});
  const auto wire = client();
  say(*wire, "CONNECT silent.org:443 HTTP/1.1\r\n\r\n");
  std::vector<Connection> connections;
  ASSERT_TRUE(becomes([&] { return !(connections = seen()).empty(); }));
  EXPECT_EQ(connections[0].outcome, Outcome::failed);
  EXPECT_EQ(connections[0].reason, "it was not made before the end");
  EXPECT_TRUE(seen().empty());
}

TEST_F(WaysOut, TellOfWhatGoesOnOnceMore) {
  allow({"a.org"});
  const auto wire = tunnel_to("a.org:443");
  say(*wire, "one");
  EXPECT_EQ(read_some(far("a.org"), 3), "one");
  EXPECT_EQ(seen().at(0).sent_bytes, 3U);
  EXPECT_TRUE(seen().empty());
  say(*wire, "more");
  EXPECT_EQ(read_some(far("a.org"), 4), "more");
  EXPECT_EQ(seen().at(0).sent_bytes, 4U);
}

// What a program has sent before its end is not lost with it, however slow the host is.
TEST_F(WaysOut, PassOnWhatWasSentBeforeTheyFinish) {
  allow({"a.org"});
  const std::string much(3 << 20, 'm');
  auto wire = tunnel_to("a.org:443");
  std::string heard;
  std::jthread host([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    heard = read_all(far("a.org"));
  });
  say(*wire, much);
  wire.reset();
  proxy_->finish(soon());
  host.join();
  EXPECT_EQ(heard.size(), much.size());
  EXPECT_EQ(seen().at(0).sent_bytes, much.size());
  EXPECT_EQ(read_some(*tunnel_to("a.org:443"), 0), "");  // others may come
}

// What claims to be 16 MiB of a ClientHello is not collected.
TEST_F(WaysOut, WaitForNoMoreTlsThanTheyRead) {
  allow({"a.org"});
  const auto wire = tunnel_to("a.org:443");
  say(*wire, std::string("\x16\x03\x01\xff\xff\x01\xff\xff\xff", 9));
  EXPECT_EQ(read_all(*wire), "");
  EXPECT_EQ(seen().at(0).reason, "its TLS cannot be read");
}

TEST_F(WaysOut, TellOfWhatIsNoRequest) {
  allow({"a.org"});
  EXPECT_THAT(answer_to("\x05\x01\x00"), testing::StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(answer_to("GET / HTTP/1.1\r\n\r\n"), testing::StartsWith("HTTP/1.1 400 "));
  std::uint64_t times = 0;
  for (const auto& [why, count] : proxy_->take_seen().turned_away) times += count;
  EXPECT_EQ(times, 2U);
}

TEST_F(WaysOut, FinishWithinTheirTime) {
  allow({"a.org", "silent.org"});
  const auto wire = tunnel_to("a.org:443"), other = client();
  say(*other, "CONNECT silent.org:443 HTTP/1.1\r\n\r\n");
  proxy_->finish(Call{}.within(std::chrono::milliseconds(20)));
  EXPECT_EQ(read_all(*wire), "");
  EXPECT_EQ(read_all(*other).find(" 200 "), std::string::npos);
}

// One says nothing, one reads nothing, and one is at its head still.
TEST_F(WaysOut, EndWhileTheyCarry) {
  allow({"a.org", "b.org"});
  const auto silent = tunnel_to("a.org:443"), deaf = tunnel_to("b.org:443"), early = client();
  const std::string much(4 << 20, 'm');
  EXPECT_FALSE(
      far("b.org").write(bytes_of(much), Call{}.within(std::chrono::milliseconds(200))).ok());
  say(*early, "CONN");
  proxy_.reset();
  EXPECT_EQ(read_all(*silent), "");
  EXPECT_EQ(read_all(far("a.org")), "");
}

}  // namespace
}  // namespace lazaret::egress
