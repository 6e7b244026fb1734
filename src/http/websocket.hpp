#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/call.hpp"
#include "base/wire.hpp"
#include "http/exchange.hpp"
#include "lazaret/result.hpp"

namespace lazaret::http {

/// The client's side of a WebSocket (RFC 6455), without extensions. One thread receives; any may
/// send, and waits for another's message no longer than that one takes.
class WebSocket {
 public:
  enum class Kind : std::uint8_t { text = 1, binary = 2 };
  struct Message {
    Kind kind;
    std::string payload;
  };

  static constexpr std::size_t kMostBytes = 64UL << 20;
  struct Opening {
    std::string target;
    std::vector<Header> headers = {};
    std::size_t most_bytes = kMostBytes;  ///< of a message that is received
  };

  /// Asks for the target on a connection of its own. Errors: unsupported when the server answers
  /// with anything but 101, with its status in the message; those of Exchange.
  [[nodiscard]] static Result<std::unique_ptr<WebSocket>> open(std::unique_ptr<Wire> wire,
                                                               Opening opening, const Call& call);
  explicit WebSocket(Exchange::Stream stream, std::size_t most_bytes = kMostBytes);

  [[nodiscard]] Status send(Kind kind, std::string_view payload, const Call& call);
  /// The next message, at most `most_bytes` long; nothing once the server has closed. May be called
  /// again after timed_out or cancelled. Errors: those of the wire; protocol, too_large,
  /// connection_lost.
  [[nodiscard]] Result<std::optional<Message>> receive(const Call& call);

 private:
  struct Frame {
    std::uint8_t code;
    bool last;
    std::string payload;
  };
  [[nodiscard]] Status send_frame(std::uint8_t code, std::string_view payload, const Call& call);
  [[nodiscard]] Result<Frame> next_frame(const Call& call);
  [[nodiscard]] Status fill(std::size_t bytes, const Call& call);

  [[nodiscard]] Error too_long() const;

  std::unique_ptr<Wire> wire_;
  const std::size_t most_bytes_;
  std::string input_;
  std::optional<Message> begun_;  // a message of which more frames come
  std::mutex sending_;
};

}  // namespace lazaret::http
