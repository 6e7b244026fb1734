#pragma once

#include <array>
#include <atomic>
#include <chrono>
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
#include "egress/proxy.hpp"
#include "os/listen.hpp"
#include "os/tcp.hpp"
#include "os/wire.hpp"
#include "soon.hpp"

/// The way out of a box, with the hosts as the other ends of pairs.
namespace lazaret::egress {

using lazaret::test::soon;
using Outcome = Connection::Outcome;

inline std::string read_some(Wire& wire, std::size_t most) {
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

inline bool becomes(const std::function<bool()>& condition) {
  for (int turn = 0; turn < 1000; ++turn) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

inline std::string read_all(Wire& wire) { return read_some(wire, 1 << 24); }

inline void say(Wire& wire, std::string_view text) {
  ASSERT_TRUE(wire.write(bytes_of(text), soon()).ok());
}

class WaysOut : public testing::Test {
 protected:
  void allow(const std::vector<std::string>& hosts) {
    std::vector<policy::HostRule> rules;
    for (const std::string& host : hosts) rules.push_back(policy::host_rule_in(host).value());
    os::Handle listener = os::listen_tcp("127.0.0.1", 0).value();
    port_ = os::port_of(listener.get());
    proxy_ = Proxy::start(std::move(listener), rules, [this](const Endpoint& to, const Call& call) {
               return connect(to, call);
             }).value();
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
  std::atomic<int> connecting_ = 0;  // to who never answers

 private:
  static Error until_stopped(const Call& call) {
    while (!call.stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return Error(Errc::cancelled, "cancelled");
  }
  Result<std::unique_ptr<Wire>> connect(const Endpoint& to, const Call& call) {
    if (to.host == "silent.org") {
      ++connecting_;
      return until_stopped(call);
    }
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

}  // namespace lazaret::egress
