#include "engine/frames.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/engine/fake_wire.hpp"

namespace lazaret::engine {
namespace {

using test::frame;

struct Collected {
  std::array<std::string, 4> text;
  bool failed = false;
};

Collected collect(FrameDemuxer& demuxer, Bytes input) {
  Collected result;
  for (;;) {
    const auto piece = demuxer.next(input);
    if (!piece.ok()) {
      result.failed = true;
      return result;
    }
    if (!*piece) return result;
    result.text[static_cast<std::size_t>((*piece)->stream)] += text_of((*piece)->bytes);
  }
}

TEST(EngineFrames, TakesTheFourStreamsApartP31) {
  FrameDemuxer demuxer;
  const auto got = collect(
      demuxer, bytes_of(frame(1, "out") + frame(2, "err") + frame(0, "in") + frame(3, "sys")));
  EXPECT_EQ(got.text, (std::array<std::string, 4>{"in", "out", "err", "sys"}));
  EXPECT_TRUE(demuxer.between_frames());
}

TEST(EngineFrames, HeadersAndPayloadMaySplitAnywhereP31) {
  const std::string whole = frame(1, "hello") + frame(2, "") + frame(1, "!");
  FrameDemuxer demuxer;
  std::string text;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    text += collect(demuxer, bytes_of(whole).subspan(at, 1)).text[1];
  }
  EXPECT_EQ(text, "hello!");
}

TEST(EngineFrames, AFrameOf4GigabytesIsNotAllocatedP31) {
  FrameDemuxer demuxer;
  const std::string header("\1\0\0\0\xff\xff\xff\xff", 8);
  EXPECT_EQ(collect(demuxer, bytes_of(header + "abc")).text[1], "abc");
  EXPECT_FALSE(demuxer.between_frames());
}

TEST(EngineFrames, AnUnknownStreamIsAProtocolErrorAndStaysOne) {
  FrameDemuxer demuxer;
  EXPECT_TRUE(collect(demuxer, bytes_of(frame(4, "x"))).failed);
  EXPECT_TRUE(collect(demuxer, bytes_of(frame(1, "x"))).failed);
}

TEST(EngineFrames, PaddingThatIsNotZeroIsAProtocolError) {
  FrameDemuxer demuxer;
  EXPECT_TRUE(collect(demuxer, bytes_of(std::string("\1\0\1\0\0\0\0\1x", 9))).failed);
}

TEST(EngineFrames, TextThatIsNotMultiplexedIsAProtocolError) {
  FrameDemuxer demuxer;
  EXPECT_TRUE(collect(demuxer, bytes_of("hello, world")).failed);
}

TEST(EngineFrames, AMillionEmptyFramesGiveNothing) {
  FrameDemuxer demuxer;
  std::string empty;
  for (int count = 0; count < 1'000'000; ++count) empty += frame(1, "");
  EXPECT_EQ(collect(demuxer, bytes_of(empty)).text[1], "");
  EXPECT_TRUE(demuxer.between_frames());
}

}  // namespace
}  // namespace lazaret::engine
