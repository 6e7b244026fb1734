#include "egress/proxy.hpp"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "base/guarded.hpp"
#include "os/listen.hpp"
#include "os/tcp.hpp"
#include "os/wire.hpp"
#include "soon.hpp"
#include "unit/egress/hello.hpp"

// The way out of a box, with the hosts as the other ends of pairs.
namespace lazaret::egress {
namespace {

using lazaret::test::soon;
using Outcome = Connection::Outcome;

std::string read_some(Wire& wire, std::size_t most) {
  std::string text;
  std::array<std::byte, 4096> room;
  while (text.size() < most) {
    const auto count =
        wire.read(std::span(room).first(std::min(room.size(), most - text.size())), soon());
    if (!count.ok() || *count == 0) break;
    text += text_of(Bytes(room).first(*count));
  }
  return text;
}

bool becomes(const std::function<bool()>& condition) {
  for (int turn = 0; turn < 1000; ++turn) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

std::string read_all(Wire& wire) { return read_some(wire, 1 << 24); }

void say(Wire& wire, std::string_view text) {
  ASSERT_TRUE(wire.write(bytes_of(text), soon()).ok());
}

class WaysOut : public testing::Test {
 protected:
  void allow(const std::vector<std::string>& hosts) {
    std::vector<policy::HostRule> rules;
    for (const std::string& host : hosts) rules.push_back(policy::host_rule_in(host).value());
    os::Handle listener = os::listen_tcp("127.0.0.1", 0).value();
    port_ = os::port_of(listener.get());
    proxy_ = std::make_unique<Proxy>(
        std::move(listener), rules,
        [this](const policy::HostRule&, const Endpoint& to, const Call&) { return connect(to); });
  }
  [[nodiscard]] std::unique_ptr<Wire> client() const {
    return os::connect_tcp("127.0.0.1", port_, os::Addresses::any, soon()).value();
  }
  // What the proxy answers a client who says this alone.
  [[nodiscard]] std::string answer_to(std::string_view text) const {
    const auto wire = client();
    say(*wire, text);
    (void)wire->close_write();
    return read_all(*wire);
  }
  // A connection to a host that is allowed, as far as that goes.
  [[nodiscard]] std::unique_ptr<Wire> tunnel_to(const std::string& place) const {
    auto wire = client();
    say(*wire, "CONNECT " + place + " HTTP/1.1\r\nHost: " + place + "\r\n\r\n");
    EXPECT_EQ(read_some(*wire, 39), "HTTP/1.1 200 Connection established\r\n\r\n");
    return wire;
  }
  [[nodiscard]] Wire& far(const std::string& host) {
    return far_.with([&host](auto& far) -> Wire& { return *far.at(host); });
  }
  [[nodiscard]] bool was_asked_for(const std::string& host) {
    return far_.with([&host](const auto& far) { return far.contains(host); });
  }
  // Once nothing of it goes on.
  [[nodiscard]] std::vector<Connection> seen() { return proxy_->take_seen().connections; }

  std::unique_ptr<Proxy> proxy_;

 private:
  Result<std::unique_ptr<Wire>> connect(const Endpoint& to) {
    if (to.host == "nowhere.org") return Error(Errc::connection_refused, "nobody is there");
    if (to.host == "slow.org") return Error(Errc::timed_out, "nobody answers");
    if (to.host == "inner.org") return Error(Errc::permission_denied, "it has no public address");
    auto ends = os::stream_pair();
    if (!ends.ok()) return ends.error();
    far_.with([&](auto& far) { far[to.host] = os::wire_over(std::move(ends->second)); });
    return os::wire_over(std::move(ends->first));
  }

  Guarded<std::map<std::string, std::unique_ptr<Wire>>> far_;
  std::uint16_t port_ = 0;
};

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
      "Connection: keep-alive\r\nX-Mine: 1\r\nContent-Length: 4\r\n\r\nbody");
  (void)wire->close_write();
  const std::string kExpected =
      "POST /p?q#f HTTP/1.1\r\nHost: a.org\r\nX-Mine: 1\r\nContent-Length: 4\r\n"
      "Connection: close\r\n\r\nbody";
  ASSERT_TRUE(becomes([&] { return was_asked_for("a.org"); }));
  EXPECT_EQ(read_all(far("a.org")), kExpected);
}

struct Target {
  const char* line;  // method and target
  int status;
};
// Ways of writing a place that others have read in two ways (121).
constexpr Target kTargets[] = {
    // as they are allowed
    {"CONNECT a.org:443", 200},
    {"CONNECT A.ORG:443", 200},
    {"CONNECT a.org.:443", 200},
    {"CONNECT a.org:80", 200},
    {"CONNECT x.b.org:443", 200},
    {"CONNECT x.y.b.org:443", 200},
    {"CONNECT c.org:8443", 200},
    {"CONNECT 192.0.2.1:443", 200},
    {"CONNECT [2001:DB8::1]:443", 200},
    {"CONNECT xn--bcher-kva.de:443", 200},
    {"GET http://a.org/", 200},
    {"GET http://a.org", 200},
    {"GET http://a.org:80/x", 200},
    {"GET hTTp://x.b.org?q", 200},
    // other ports and names
    {"CONNECT a.org:22", 403},
    {"CONNECT a.org:65535", 403},
    {"CONNECT c.org:443", 403},
    {"CONNECT b.org:443", 403},
    {"CONNECT xb.org:443", 403},
    {"CONNECT a.org.evil.net:443", 403},
    {"CONNECT evil.net:443", 403},
    {"CONNECT sub.a.org:443", 403},
    {"CONNECT a.orgg:443", 403},
    {"CONNECT .b.org:443", 403},
    {"CONNECT localhost:443", 403},
    {"CONNECT xn--bcher-kvb.de:443", 403},
    {"GET http://evil.net/?http://a.org/", 403},
    {"GET http://evil.net:80#a.org", 403},
    {"GET http://evil.net#@a.org/", 403},
    // addresses in other forms than the one that is allowed
    {"CONNECT 192.0.2.2:443", 403},
    {"CONNECT 0300.0.02.1:443", 403},
    {"CONNECT 0xc0.0.2.1:443", 403},
    {"CONNECT 0xc0000201:443", 403},
    {"CONNECT 3221225985:443", 403},
    {"CONNECT 192.513:443", 403},
    {"CONNECT 192.0.513:443", 403},
    {"CONNECT 127.0.0.1:443", 403},
    {"CONNECT 127.1:443", 403},
    {"CONNECT 0.0.0.0:443", 403},
    {"CONNECT 0:443", 403},
    {"CONNECT 169.254.169.254:80", 403},
    {"CONNECT [::1]:443", 403},
    {"CONNECT [::]:443", 403},
    {"CONNECT [::ffff:192.0.2.1]:443", 403},
    {"CONNECT [::ffff:c000:201]:443", 403},
    {"CONNECT [64:ff9b::c000:201]:443", 403},
    {"CONNECT [2002:c000:201::]:443", 403},
    {"CONNECT [2001:db8:0:0:0:0:0:1]:443", 403},
    {"CONNECT [fd00:ec2::254]:80", 403},
    {"GET http://[::ffff:127.0.0.1]/", 403},
    // what is no place
    {"CONNECT a.org", 400},
    {"CONNECT a.org:", 400},
    {"CONNECT a.org:0", 400},
    {"CONNECT a.org:65536", 400},
    {"CONNECT a.org:+443", 400},
    {"CONNECT a.org:443:443", 400},
    {"CONNECT [a.org]:443", 400},
    {"CONNECT [::1%25lo]:443", 400},
    {"CONNECT [[::1]]:443", 400},
    {"CONNECT evil.net\\@a.org:443", 400},
    {"CONNECT user@a.org:443", 400},
    {"CONNECT a.org:443@evil.net:443", 400},
    {"CONNECT http://a.org:443", 400},
    {"CONNECT b\xC3\xBC"
     "cher.de:443",
     400},
    {"CONNECT a.org%2eevil.net:443", 400},
    {"GET http://user:a.org@evil.net/", 400},
    {"GET http://a.org@evil.net/", 400},
    {"GET http://evil.net\\.a.org/", 400},
    {"GET http:///a.org/", 400},
    {"GET https://a.org/", 400},
    {"GET //a.org/", 400},
    {"GET /", 400},
    {"GET ftp://a.org/", 400},
    {"OPTIONS *", 400},
};

TEST_F(WaysOut, ReadPlacesInOneWay) {
  static_assert(std::size(kTargets) >= 64);
  allow({"a.org", "*.b.org", "c.org:8443", "192.0.2.1", "[2001:db8::1]", "xn--bcher-kva.de"});
  for (const auto& [line, status] : kTargets) {
    const auto wire = client();
    say(*wire, std::string(line) + " HTTP/1.1\r\n\r\n");
    const bool is_plain = std::string_view(line).starts_with("GET");
    if (status == 200 && is_plain) {
      EXPECT_TRUE(becomes([&] { return !seen().empty(); })) << line;
      continue;
    }
    EXPECT_EQ(read_some(*wire, 12), "HTTP/1.1 " + std::to_string(status)) << line;
  }
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
  for (const std::string& hello : {hello_for("evil.net"), record(handshake("rest"))}) {
    const auto wire = tunnel_to("a.org:443");
    say(*wire, hello);
    EXPECT_EQ(read_all(*wire), "");
    EXPECT_EQ(read_all(far("a.org")), "");
  }
  const auto connections = seen();
  ASSERT_EQ(connections.size(), 2U);
  EXPECT_EQ(connections[0].outcome, Outcome::denied);
  EXPECT_EQ(connections[0].reason, "TLS was asked for evil.net");
  EXPECT_EQ(connections[1].reason, "its TLS cannot be read");
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
  EXPECT_EQ(read_all(*client()), "");
  wires.clear();
  EXPECT_TRUE(becomes([&] {
    const auto wire = client();
    return wire->write(bytes_of("CONNECT a.org:443 HTTP/1.1\r\n\r\n"), soon()).ok() &&
           read_some(*wire, 12) == "HTTP/1.1 200";
  }));
}

TEST_F(WaysOut, ListTwoHundredAndFiftySix) {
  allow({"a.org"});
  for (int count = 0; count < 258; ++count) (void)answer_to("CONNECT b.org:443 HTTP/1.1\r\n\r\n");
  const Proxy::Seen seen = proxy_->take_seen();
  EXPECT_EQ(seen.connections.size(), 256U);
  EXPECT_EQ(seen.unlisted, 2U);
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
