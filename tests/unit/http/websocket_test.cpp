#include "http/websocket.hpp"

#include <gtest/gtest.h>

#include "unit/engine/fake_wire.hpp"

namespace lazaret::http {
namespace {

using engine::test::Answer;
using engine::test::soon;

constexpr std::size_t kMost = 300;

std::string frame(unsigned char first, const std::string& payload) {
  std::string text(1, static_cast<char>(first));
  if (payload.size() < 126) return text + static_cast<char>(payload.size()) + payload;
  text += '\x7e';
  text += static_cast<char>(payload.size() >> 8U);
  text += static_cast<char>(payload.size() & 0xFFU);
  return text + payload;
}

struct Peer {
  std::shared_ptr<std::string> heard = std::make_shared<std::string>();
  std::unique_ptr<WebSocket> socket;

  explicit Peer(const std::string& bytes, std::size_t piece_bytes = SIZE_MAX) {
    Answer answer{.bytes = bytes, .piece_bytes = piece_bytes};
    auto wire = std::make_unique<engine::test::FakeWire>(std::move(answer), heard);
    socket = std::make_unique<WebSocket>(Exchange::Stream{std::move(wire), {}}, kMost);
  }
  [[nodiscard]] std::string next() const {
    auto message = socket->receive(soon());
    if (!message.ok()) return std::string(name_of(message.error().code()));
    return *message ? (*message)->payload : "closed";
  }
};

TEST(WebSocket, ReadsMessagesOfEveryLengthByteByByte) {
  const std::string text = frame(0x81, "") + frame(0x81, std::string(125, 'a')) +
                           frame(0x82, std::string(126, 'b')) + frame(0x88, "");
  const Peer told(text, 1);
  EXPECT_EQ(told.next(), "");
  EXPECT_EQ(told.next(), std::string(125, 'a'));
  EXPECT_EQ(told.next(), std::string(126, 'b'));
  EXPECT_EQ(told.next(), "closed");
}

TEST(WebSocket, TakesAMessageOfItsBoundAndNotOneByteMore) {
  EXPECT_EQ(Peer(frame(0x81, std::string(kMost, 'x'))).next(), std::string(kMost, 'x'));
  EXPECT_EQ(Peer(frame(0x81, std::string(kMost + 1, 'x'))).next(), "too_large");
  EXPECT_EQ(Peer("\x81\x7f" + std::string(8, '\xff')).next(), "too_large");
}

TEST(WebSocket, JoinsFramesUpToTheBoundOfTheMessage) {
  EXPECT_EQ(Peer(frame(0x01, "a") + frame(0x00, "b") + frame(0x80, "c")).next(), "abc");
  const std::string most(kMost, 'x');
  EXPECT_EQ(Peer(frame(0x01, most) + frame(0x80, "")).next(), most);
  EXPECT_EQ(Peer(frame(0x01, most) + frame(0x80, "y")).next(), "too_large");
}

TEST(WebSocket, AnswersAPingBetweenTwoFrames) {
  const Peer told(frame(0x01, "a") + frame(0x89, "ping") + frame(0x8a, "") + frame(0x80, "b"));
  EXPECT_EQ(told.next(), "ab");
  EXPECT_EQ(told.heard->substr(0, 2), "\x8a\x84");  // a pong of four bytes, masked
}

TEST(WebSocket, RefusesWhatRfc6455DoesNotHave) {
  EXPECT_EQ(Peer(frame(0xc1, "reserved bit")).next(), "protocol");
  EXPECT_EQ(Peer("\x81\x81" + std::string(5, 'm')).next(), "protocol");  // masked by a server
  EXPECT_EQ(Peer(frame(0x80, "goes on from nothing")).next(), "protocol");
  EXPECT_EQ(Peer(frame(0x01, "a") + frame(0x81, "begins anew")).next(), "protocol");
  EXPECT_EQ(Peer(frame(0x83, "no such kind")).next(), "protocol");
}

TEST(WebSocket, SaysThatTheServerHungUpInTheMiddle) {
  EXPECT_EQ(Peer("").next(), "connection_lost");
  EXPECT_EQ(Peer(frame(0x81, "abc").substr(0, 4)).next(), "connection_lost");
}

}  // namespace
}  // namespace lazaret::http
