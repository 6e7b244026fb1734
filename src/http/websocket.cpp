#include "http/websocket.hpp"

#include <array>
#include <utility>
#include <vector>

#include "base/try.hpp"
#include "os/random.hpp"

namespace lazaret::http {
namespace {

constexpr std::uint8_t kContinuation = 0;
constexpr std::uint8_t kClose = 8;
constexpr std::uint8_t kPing = 9;
constexpr std::uint8_t kPong = 10;
constexpr std::uint8_t kLast = 0x80;
constexpr std::uint8_t kMasked = 0x80;

// Sixteen random bytes in base64: 22 letters, of which the last carries two bits, and the padding.
std::string nonce() {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  while (text.size() < 21) text += kLetters[os::random_word() % kLetters.size()];
  return text + "AQgw"[os::random_word() % 4] + "==";
}

void append_number(std::string& text, std::uint64_t number, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    text += static_cast<char>(number >> static_cast<unsigned>(shift) & 0xFFU);
}

std::uint64_t number_in(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes) number = number << 8U | static_cast<unsigned char>(byte);
  return number;
}

void append_length(std::string& text, std::size_t size) {
  if (size < 126) {
    text += static_cast<char>(kMasked | size);
  } else if (size < 65536) {
    text += static_cast<char>(kMasked | 126U);
    append_number(text, size, 2);
  } else {
    text += static_cast<char>(kMasked | 127U);
    append_number(text, size, 8);
  }
}

}  // namespace

WebSocket::WebSocket(Exchange::Stream stream, std::size_t most_bytes)
    : wire_(std::move(stream.wire)), most_bytes_(most_bytes), input_(text_of(stream.leftover)) {}

Result<std::unique_ptr<WebSocket>> WebSocket::open(std::unique_ptr<Wire> wire, Opening opening,
                                                   const Call& call) {
  for (Header& header : std::vector<Header>{{"Host", "localhost"},
                                            {"Connection", "Upgrade"},
                                            {"Upgrade", "websocket"},
                                            {"Sec-WebSocket-Version", "13"},
                                            {"Sec-WebSocket-Key", nonce()}})
    opening.headers.push_back(std::move(header));
  Exchange exchange(std::move(wire));
  LAZARET_CHECK(
      exchange.send({"GET", std::move(opening.target), std::move(opening.headers), {}}, call));
  LAZARET_TRY(const ResponseHead head, exchange.head(call));
  // WHY: the accept field, which proves to a client that no cache has answered, is not looked at:
  // there is nothing between us and a server on this machine.
  if (head.status != 101)
    return Error(Errc::unsupported, "no WebSocket: status " + std::to_string(head.status));
  return std::make_unique<WebSocket>(std::move(exchange).hijack(), opening.most_bytes);
}

Status WebSocket::send(Kind kind, std::string_view payload, const Call& call) {
  return send_frame(static_cast<std::uint8_t>(kind), payload, call);
}

Status WebSocket::send_frame(std::uint8_t code, std::string_view payload, const Call& call) {
  std::string frame(1, static_cast<char>(kLast | code));
  append_length(frame, payload.size());
  const std::uint32_t mask = os::random_word();
  append_number(frame, mask, 4);
  for (std::size_t at = 0; at < payload.size(); ++at)
    frame +=
        static_cast<char>(payload[at] ^ static_cast<char>(mask >> (24 - 8 * (at % 4)) & 0xFFU));
  const std::scoped_lock lock(sending_);
  return wire_->write(bytes_of(frame), call);
}

Status WebSocket::fill(std::size_t bytes, const Call& call) {
  std::array<std::byte, 65536> buffer;
  while (input_.size() < bytes) {
    LAZARET_CHECK(call.check());
    LAZARET_TRY(const std::size_t count, wire_->read(buffer, call));
    if (count == 0) return Error(Errc::connection_lost, "the server hung up");
    input_ += text_of(Bytes(buffer).first(count));
  }
  return {};
}

Error WebSocket::too_long() const {
  return {Errc::too_large, "a message of more than " + std::to_string(most_bytes_) + " bytes"};
}

Result<WebSocket::Frame> WebSocket::next_frame(const Call& call) {
  LAZARET_CHECK(fill(2, call));
  const auto first = static_cast<std::uint8_t>(input_[0]);
  const auto second = static_cast<std::uint8_t>(input_[1]);
  if ((first & 0x70U) != 0 || (second & kMasked) != 0)
    return Error(Errc::protocol, "a frame of the server is not as RFC 6455 has it");
  const std::size_t more = second == 126 ? 2 : second == 127 ? 8 : 0;
  LAZARET_CHECK(fill(2 + more, call));
  const std::uint64_t size =
      more == 0 ? second : number_in(std::string_view(input_).substr(2, more));
  if (size > most_bytes_) return too_long();
  const std::size_t head = 2 + more;
  LAZARET_CHECK(fill(head + static_cast<std::size_t>(size), call));
  Frame frame{static_cast<std::uint8_t>(first & 0x0FU), (first & kLast) != 0,
              input_.substr(head, static_cast<std::size_t>(size))};
  input_.erase(0, head + static_cast<std::size_t>(size));
  return frame;
}

Result<std::optional<WebSocket::Message>> WebSocket::receive(const Call& call) {
  for (;;) {
    LAZARET_TRY(Frame frame, next_frame(call));
    if (frame.code == kClose) {
      (void)send_frame(kClose, frame.payload, call)
          .ok();  // the server waits for it, and may be gone
      return std::optional<Message>();
    }
    if (frame.code == kPing) LAZARET_CHECK(send_frame(kPong, frame.payload, call));
    if (frame.code == kPing || frame.code == kPong) continue;
    const bool goes_on = frame.code == kContinuation;
    if (goes_on != begun_.has_value() || frame.code > 2)
      return Error(Errc::protocol, "a frame of the server is out of place");
    if (!goes_on) begun_ = Message{static_cast<Kind>(frame.code), {}};
    begun_->payload += frame.payload;
    if (begun_->payload.size() > most_bytes_) return too_long();
    if (frame.last) return std::exchange(begun_, std::nullopt);
  }
}

}  // namespace lazaret::http
