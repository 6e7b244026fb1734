#include "engine/attach.hpp"

#include <gtest/gtest.h>

#include "unit/engine/fake_wire.hpp"

namespace lazaret::engine {
namespace {

using test::Answer;
using test::FakeEngine;
using test::frame;
using test::soon;
using test::Then;

constexpr const char* kUpgraded = "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\n\r\n";

struct Stream {
  std::unique_ptr<AttachStream> wire;
  std::shared_ptr<std::string> heard = std::make_shared<std::string>();
};

Stream stream_of(Answer answer, Framing framing = Framing::multiplexed,
                 const std::string& leftover = {}) {
  Stream stream;
  const Bytes bytes = bytes_of(leftover);
  stream.wire = std::make_unique<AttachStream>(
      http::Exchange::Stream{std::make_unique<test::FakeWire>(std::move(answer), stream.heard),
                             std::vector<std::byte>(bytes.begin(), bytes.end())},
      framing);
  return stream;
}

// Everything up to the end, or the error.
Result<std::string> drain(AttachStream& wire, std::size_t room = 1000) {
  std::string text;
  std::vector<std::byte> buffer(room);
  for (;;) {
    auto count = wire.read(buffer, soon());
    if (!count.ok()) return std::move(count).error();
    if (*count == 0) return text;
    text += text_of(Bytes(buffer).first(*count));
  }
}

TEST(EngineAttach, AsksForTheStreamAndKeepsWhatCameWithTheHeadP32) {
  FakeEngine engine;
  const EngineClient client = client_of(engine);
  engine.answers.push_back({.bytes = kUpgraded + frame(1, "early")});
  auto wire = attach(client, "abc", {}, soon());
  ASSERT_TRUE(wire.ok()) << wire.error().message();
  EXPECT_EQ(*drain(**wire), "early");
  EXPECT_EQ(test::request_line(engine.last_request()),
            "POST /v1.41/containers/abc/attach?stream=1&stdin=1&stdout=1&stderr=1 HTTP/1.1");
  EXPECT_TRUE(test::has_header(engine.last_request(), "Upgrade: tcp"));
  EXPECT_TRUE(test::has_header(engine.last_request(), "Connection: Upgrade"));
  EXPECT_FALSE(test::has_header(engine.last_request(), "Connection: close"));
}

TEST(EngineAttach, AcceptsA200AsAnUpgradeP32) {
  FakeEngine engine;
  const EngineClient client = client_of(engine);
  engine.answers.push_back({.bytes = "HTTP/1.1 200 OK\r\n\r\n" + frame(1, "x")});
  auto wire = attach(client, "abc", {}, soon());
  ASSERT_TRUE(wire.ok());
  EXPECT_EQ(*drain(**wire), "x");
}

TEST(EngineAttach, AMissingContainerIsNotFound) {
  FakeEngine engine;
  const EngineClient client = client_of(engine);
  engine.answers.push_back(test::says(404, R"({"message":"No such container: abc"})"));
  const auto wire = attach(client, "abc", {}, soon());
  ASSERT_FALSE(wire.ok());
  EXPECT_EQ(wire.error().code(), Errc::not_found);
}

TEST(EngineAttach, GivesStdoutAndKeepsStderrAside) {
  Stream stream = stream_of({.bytes = frame(1, "a") + frame(2, "oops") + frame(1, "b")});
  EXPECT_EQ(*drain(*stream.wire), "ab");
  EXPECT_EQ(stream.wire->standard_error().text, "oops");
}

TEST(EngineAttach, ComesOutTheSameByteByByteAndIntoOneByteOfRoom) {
  Stream stream =
      stream_of({.bytes = frame(1, "hel") + frame(2, "e") + frame(1, "lo"), .piece_bytes = 1});
  EXPECT_EQ(*drain(*stream.wire, 1), "hello");
}

TEST(EngineAttach, KeepsTheBeginningOfStderrAndCountsTheRest) {
  Stream stream = stream_of({.bytes = frame(2, std::string(kSideOutputBytes + 10, 'e'))});
  EXPECT_EQ(*drain(*stream.wire), "");
  EXPECT_EQ(stream.wire->standard_error().text.size(), kSideOutputBytes);
  EXPECT_EQ(stream.wire->standard_error().total_bytes, kSideOutputBytes + 10);
}

TEST(EngineAttach, ARawStreamIsGivenAsItIs) {
  Stream stream = stream_of({.bytes = "world"}, Framing::raw, "hello ");
  EXPECT_EQ(*drain(*stream.wire), "hello world");
}

TEST(EngineAttach, TroubleOfTheEngineOnStream3IsAnError) {
  Stream stream = stream_of({.bytes = frame(3, "lost\n")});
  const auto text = drain(*stream.wire);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().code(), Errc::engine);
}

TEST(EngineAttach, AStreamThatEndsWithinAFrameIsALostConnection) {
  Stream stream = stream_of({.bytes = frame(1, "hello").substr(0, 10)});
  const auto text = drain(*stream.wire);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().code(), Errc::connection_lost);
}

TEST(EngineAttach, SilenceEndsWithTheDeadline) {
  Stream stream = stream_of({.bytes = frame(1, ""), .then = Then::silence});
  const auto text = drain(*stream.wire);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().code(), Errc::timed_out);
}

// So is asked of a box that waits whether it is there, by whom it costs no time.
TEST(EngineAttach, TellsOfItsEndAndOfWhatHasComeToWhoDoesNotWait) {
  std::array<std::byte, 10> room{};
  const Call at_once = Call{}.within(std::chrono::milliseconds(0));
  EXPECT_EQ(stream_of({}).wire->read(room, at_once).value(), 0U);
  EXPECT_EQ(stream_of({.bytes = frame(1, "x")}).wire->read(room, at_once).value(), 1U);
}

TEST(EngineAttach, EmptyFramesWithoutEndDoNotOutliveTheStop) {
  std::string empty;
  for (int count = 0; count < 1'000'000; ++count) empty += frame(1, "");
  Stream stream = stream_of({.bytes = empty, .then = Then::silence});
  std::stop_source source;
  source.request_stop();
  std::array<std::byte, 10> room{};
  const auto count = stream.wire->read(room, {Deadline::never(), source.get_token()});
  ASSERT_FALSE(count.ok());
  EXPECT_EQ(count.error().code(), Errc::cancelled);
}

TEST(EngineAttach, WritesGoToStdinAsTheyAreAndItsEndIsPassedOn) {
  Stream stream = stream_of({});
  ASSERT_TRUE(stream.wire->write(bytes_of("input"), soon()).ok());
  ASSERT_TRUE(stream.wire->close_write().ok());
  EXPECT_EQ(*stream.heard, "input<EOF>");
}

}  // namespace
}  // namespace lazaret::engine
