#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "http/websocket.hpp"
#include "integration/daemon.hpp"

namespace lazaret::test {

/// What a WebSocket brought.
struct Streamed {
  struct Left {
    Json head;
    std::string content;
    bool has_ended = false;
  };
  std::string out;
  std::string err;
  std::vector<Left> artifacts;
  std::vector<std::string> progress;
  Json result;
  Json problem;
};

/// A stream of a daemon's, and the run that was asked for on it.
class StreamSocket {
 public:
  explicit StreamSocket(const Daemon& daemon) {
    auto opened = http::WebSocket::open(daemon.connect(), {.target = "/v1/stream"},
                                        Call{}.within(std::chrono::seconds(10)));
    if (opened.ok()) socket_ = std::move(opened).value();
  }
  StreamSocket(const Daemon& daemon, const Json& request) : StreamSocket(daemon) {
    if (is_open()) say(request.dump());
  }
  [[nodiscard]] bool is_open() const { return socket_ != nullptr; }
  void say(const std::string& text) {
    EXPECT_TRUE(
        socket_->send(http::WebSocket::Kind::text, text, Call{}.within(std::chrono::seconds(10)))
            .ok());
  }
  void type(const std::string& bytes) {
    EXPECT_TRUE(
        socket_->send(http::WebSocket::Kind::binary, bytes, Call{}.within(std::chrono::seconds(10)))
            .ok());
  }
  /// Listens until `enough`, or to the end.
  Streamed& hear(const std::function<bool(const Streamed&)>& enough = [](const Streamed&) {
    return false;
  }) {
    while (!enough(heard_)) {
      auto message = socket_->receive(Call{}.within(std::chrono::seconds(60)));
      if (!message.ok() || !*message) break;
      take(**message);
    }
    return heard_;
  }
  void hear_out(const std::string& text) {
    (void)hear(
        [&text](const Streamed& heard) { return heard.out.find(text) != std::string::npos; });
  }
  void leave() { socket_.reset(); }

 private:
  void take(const http::WebSocket::Message& message) {
    if (message.kind == http::WebSocket::Kind::binary)
      return take_bytes(message.payload.at(0), message.payload.substr(1));
    const Json json = Json::parse(message.payload);
    if (json["event"] == "progress") heard_.progress.push_back(json["progress"]);
    if (json["event"] == "artifact") heard_.artifacts.push_back({json["artifact"], {}, false});
    if (json["event"] == "result") heard_.result = json["result"];
    if (json["event"] == "problem") heard_.problem = json["problem"];
  }

  void take_bytes(char of, const std::string& bytes) {
    if (of != 3) {
      (of == 1 ? heard_.out : heard_.err) += bytes;
      return;
    }
    Streamed::Left& last = heard_.artifacts.back();
    EXPECT_FALSE(last.has_ended);
    last.has_ended = bytes.empty();
    last.content += bytes;
  }

  std::unique_ptr<http::WebSocket> socket_;
  Streamed heard_;
};

}  // namespace lazaret::test
