#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/wire.hpp"
#include "engine/client.hpp"
#include "engine/endpoint.hpp"
#include "http/exchange.hpp"
#include "soon.hpp"

namespace lazaret::engine::test {

/// What comes after the scripted bytes: the peer hangs up, or says nothing more.
enum class Then { hang_up, silence };

struct Answer {
  std::string bytes;
  Then then = Then::hang_up;
  std::size_t piece_bytes = 1UL << 20;  ///< most that one read gives
  std::size_t accepts = SIZE_MAX;       ///< bytes taken from us before the pipe breaks
};

/// One scripted connection. Silence ends at once with what the call would have waited for; a call
/// that could wait for ever is a bug and ends the test program.
class FakeWire final : public Wire {
 public:
  FakeWire(Answer answer, std::shared_ptr<std::string> heard)
      : answer_(std::move(answer)), heard_(std::move(heard)) {}

  Result<std::size_t> read(std::span<std::byte> into, const Call& call) override {
    const Bytes left = bytes_of(answer_.bytes).subspan(at_);
    const std::size_t count = std::min({left.size(), into.size(), answer_.piece_bytes});
    std::copy_n(left.begin(), count, into.begin());
    at_ += count;
    if (count > 0 || answer_.then == Then::hang_up) return count;
    if (call.stop.stop_requested()) return Error(Errc::cancelled, "cancelled");
    if (call.deadline.is_never()) std::abort();
    return Error(Errc::timed_out, "deadline passed");
  }
  Status write(Bytes bytes, const Call&) override {
    if (heard_->size() + bytes.size() > answer_.accepts) {
      return Error(Errc::connection_lost, "broken pipe");
    }
    *heard_ += text_of(bytes);
    return {};
  }
  Status close_write() override {
    *heard_ += "<EOF>";
    return {};
  }

 private:
  Answer answer_;
  std::shared_ptr<std::string> heard_;
  std::size_t at_ = 0;
};

/// An engine that gives its answers in order, one for each connection, and notes what it was asked.
struct FakeEngine {
  std::deque<Answer> answers;
  std::vector<std::shared_ptr<std::string>> requests;
  Errc absent = Errc::connection_refused;  ///< why nobody answers once there are no answers left

  [[nodiscard]] const std::string& request(std::size_t index) const { return *requests.at(index); }
  [[nodiscard]] const std::string& last_request() const { return *requests.back(); }
};

class FakeDialer final : public Dialer {
 public:
  explicit FakeDialer(FakeEngine& engine) : engine_(engine) {}

  Result<std::unique_ptr<Wire>> dial(const Call& call) override {
    if (auto status = call.check(); !status.ok()) return std::move(status).error();
    if (engine_.answers.empty()) return Error(engine_.absent, "nobody listens");
    Answer answer = std::move(engine_.answers.front());
    engine_.answers.pop_front();
    engine_.requests.push_back(std::make_shared<std::string>());
    return std::unique_ptr<Wire>(
        std::make_unique<FakeWire>(std::move(answer), engine_.requests.back()));
  }
  std::string endpoint() const override { return "unix:///fake.sock"; }

 private:
  FakeEngine& engine_;
};

[[nodiscard]] inline std::string http(int status, const std::string& body,
                                      const std::string& headers = {}) {
  return "HTTP/1.1 " + std::to_string(status) + " Said\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}
[[nodiscard]] inline Answer says(int status, const std::string& body) {
  return {.bytes = http(status, body, "Content-Type: application/json\r\n")};
}

/// First line of a request: "GET /v1.41/info HTTP/1.1".
[[nodiscard]] inline std::string request_line(const std::string& request) {
  return request.substr(0, request.find("\r\n"));
}
/// What stands behind the head.
[[nodiscard]] inline std::string request_body(const std::string& request) {
  const std::size_t end = request.find("\r\n\r\n");
  return end == std::string::npos ? std::string() : request.substr(end + 4);
}
[[nodiscard]] inline bool has_header(const std::string& request, const std::string& line) {
  return request.substr(0, request.find("\r\n\r\n") + 2).find("\r\n" + line + "\r\n") !=
         std::string::npos;
}

using lazaret::test::soon;

inline void script_negotiation(FakeEngine& engine, Kind kind, const std::string& newest = "1.41") {
  const std::string own = kind == Kind::podman
                              ? "Server: Libpod/4.3.1 (linux)\r\nLibpod-Api-Version: 4.3.1\r\n"
                              : "Server: Docker/20.10.24 (linux)\r\nOstype: linux\r\n";
  engine.answers.push_back({.bytes = http(200, "OK", "Api-Version: " + newest + "\r\n" + own)});
}
/// Whose answer to /version follows.
inline void script_version(FakeEngine& engine, const std::string& newest,
                           const std::string& oldest) {
  engine.answers.push_back(says(200, R"({"Version":"20.10.24","ApiVersion":")" + newest +
                                         R"(","MinAPIVersion":")" + oldest +
                                         R"(","Os":"linux","Arch":"amd64"})"));
}

/// A client of the fake, negotiated; only what comes after is in `requests`.
[[nodiscard]] inline EngineClient client_of(FakeEngine& engine, Kind kind = Kind::docker) {
  script_negotiation(engine, kind);
  auto client = EngineClient::negotiate(std::make_unique<FakeDialer>(engine), {}, soon());
  engine.requests.clear();
  return std::move(client).value();
}

/// The 8-byte header of an attach frame, and the payload.
[[nodiscard]] inline std::string frame(int stream, const std::string& payload) {
  const auto size = static_cast<std::uint32_t>(payload.size());
  std::string text{static_cast<char>(stream), 0, 0, 0};
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(size >> shift & 0xff);
  return text + payload;
}

}  // namespace lazaret::engine::test
