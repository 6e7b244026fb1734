#include "runner/frame.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace lazaret::runner {
namespace {

struct TypeCase {
  const char* name;
  FrameType type;
  Direction direction;
  std::size_t cap;
};

constexpr TypeCase kTypes[] = {
    {"job", FrameType::job, Direction::to_runner, 4UL << 20},
    {"stdin_data", FrameType::stdin_data, Direction::to_runner, 64UL << 10},
    {"stdin_end", FrameType::stdin_end, Direction::to_runner, 0},
    {"signal", FrameType::signal, Direction::to_runner, 4},
    {"compile", FrameType::compile, Direction::to_runner, 4UL << 20},
    {"hello", FrameType::hello, Direction::to_host, 16},
    {"report", FrameType::report, Direction::to_host, 128UL << 10},
    {"started", FrameType::started, Direction::to_host, 4},
    {"stdout_data", FrameType::stdout_data, Direction::to_host, 64UL << 10},
    {"stderr_data", FrameType::stderr_data, Direction::to_host, 64UL << 10},
    {"value_data", FrameType::value_data, Direction::to_host, 64UL << 10},
    {"stdin_credit", FrameType::stdin_credit, Direction::to_host, 4},
    {"exited", FrameType::exited, Direction::to_host, 32},
    {"failed", FrameType::failed, Direction::to_host, 1024},
    {"prepared", FrameType::prepared, Direction::to_host, 4},
    {"prepare", FrameType::prepare, Direction::to_runner, 4 << 20},
    {"put", FrameType::put, Direction::to_runner, 16UL << 10},
    {"put_data", FrameType::put_data, Direction::to_runner, 64UL << 10},
    {"put_end", FrameType::put_end, Direction::to_runner, 0},
    {"get", FrameType::get, Direction::to_runner, 16UL << 10},
    {"change", FrameType::change, Direction::to_runner, 16UL << 10},
    {"end_context", FrameType::end_context, Direction::to_runner, 64},
    {"resize", FrameType::resize, Direction::to_runner, 4},
    {"watch", FrameType::watch, Direction::to_runner, 0},
    {"placed", FrameType::placed, Direction::to_host, 16UL << 10},
    {"entry", FrameType::entry, Direction::to_host, 16UL << 10},
    {"entry_data", FrameType::entry_data, Direction::to_host, 64UL << 10},
    {"got", FrameType::got, Direction::to_host, 8},
    {"event", FrameType::event, Direction::to_host, 16U << 10},
};

Direction other(Direction direction) {
  return direction == Direction::to_host ? Direction::to_runner : Direction::to_host;
}

void feed(FrameReader& reader, Bytes bytes) {
  while (!bytes.empty()) {
    const auto space = reader.space();
    const std::size_t count = std::min(space.size(), bytes.size());
    std::copy_n(bytes.begin(), count, space.begin());
    reader.commit(count);
    bytes = bytes.subspan(count);
  }
}

Bytes as_bytes(const std::vector<std::byte>& bytes) { return bytes; }

// The error of a reader that has been given these bytes; ok when it only wants more.
Errc error_of(Direction direction, Bytes bytes) {
  FrameReader reader(direction);
  feed(reader, bytes);
  const auto frame = reader.next();
  EXPECT_FALSE(frame.ok());
  return frame.ok() ? Errc::system : frame.error().code();
}

TEST(FrameHeader, IsLengthLittleEndianThenTypeThenZeroes) {
  const auto header = frame_header(FrameType::job, 0x00030201);
  const std::array<std::byte, 8> wanted = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{0},
                                           std::byte{1}, std::byte{0}, std::byte{0}, std::byte{0}};
  EXPECT_EQ(header, wanted);
}

TEST(FrameHeader, HasTheNumbersOfTheSpecification) {
  EXPECT_EQ(frame_header(FrameType::put, 0)[4], std::byte{0x07});
  EXPECT_EQ(frame_header(FrameType::put_data, 0)[4], std::byte{0x08});
  EXPECT_EQ(frame_header(FrameType::put_end, 0)[4], std::byte{0x09});
  EXPECT_EQ(frame_header(FrameType::get, 0)[4], std::byte{0x0A});
  EXPECT_EQ(frame_header(FrameType::change, 0)[4], std::byte{0x0B});
  EXPECT_EQ(frame_header(FrameType::placed, 0)[4], std::byte{0x8B});
  EXPECT_EQ(frame_header(FrameType::entry, 0)[4], std::byte{0x8C});
  EXPECT_EQ(frame_header(FrameType::entry_data, 0)[4], std::byte{0x8D});
  EXPECT_EQ(frame_header(FrameType::got, 0)[4], std::byte{0x8E});
}

TEST(FrameReader, GivesNothingBeforeTheFirstByte) {
  FrameReader reader(Direction::to_host);
  const auto frame = reader.next();
  ASSERT_TRUE(frame.ok());
  EXPECT_FALSE(frame->has_value());
}

TEST(FrameReader, TakesEveryTypeAtItsCap) {
  for (const TypeCase& row : kTypes) {
    SCOPED_TRACE(row.name);
    ASSERT_EQ(payload_cap(row.type), row.cap);
    const std::string payload(row.cap, 'p');
    FrameReader reader(row.direction);
    feed(reader, encode_frame(row.type, bytes_of(payload)));
    const auto frame = reader.next();
    ASSERT_TRUE(frame.ok());
    ASSERT_TRUE(frame->has_value());
    EXPECT_EQ((*frame)->type, row.type);
    EXPECT_EQ(text_of((*frame)->payload), payload);
  }
}

TEST(FrameReader, RefusesEveryTypeOneBytePastItsCapBeforeThePayloadHasCome) {
  for (const TypeCase& row : kTypes) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(error_of(row.direction, frame_header(row.type, row.cap + 1)), Errc::protocol);
  }
}

TEST(FrameReader, RefusesEveryTypeInTheWrongDirection) {
  for (const TypeCase& row : kTypes) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(error_of(other(row.direction), frame_header(row.type, 0)), Errc::protocol);
  }
}

TEST(FrameReader, RefusesEveryUnknownType) {
  for (int number = 0; number < 256; ++number) {
    const auto type = static_cast<FrameType>(number);
    const bool known = std::any_of(std::begin(kTypes), std::end(kTypes),
                                   [type](const TypeCase& row) { return row.type == type; });
    if (known) continue;
    SCOPED_TRACE(number);
    EXPECT_EQ(payload_cap(type), 0U);
    EXPECT_EQ(error_of(Direction::to_host, frame_header(type, 0)), Errc::protocol);
    EXPECT_EQ(error_of(Direction::to_runner, frame_header(type, 0)), Errc::protocol);
  }
}

TEST(FrameReader, RefusesEachReservedBit) {
  for (std::size_t bit = 0; bit < 24; ++bit) {
    SCOPED_TRACE(bit);
    auto header = frame_header(FrameType::stdout_data, 0);
    header[5 + bit / 8] |= std::byte{1} << static_cast<int>(bit % 8);
    EXPECT_EQ(error_of(Direction::to_host, header), Errc::protocol);
  }
}

TEST(FrameReader, RefusesALengthOfFourGigabytesWithoutWaitingForIt) {
  EXPECT_EQ(error_of(Direction::to_host, frame_header(FrameType::stdout_data, 0xFFFFFFFF)),
            Errc::protocol);
}

TEST(FrameReader, StaysFailed) {
  FrameReader reader(Direction::to_host);
  feed(reader, frame_header(FrameType::job, 0));
  EXPECT_FALSE(reader.next().ok());
  feed(reader, encode_frame(FrameType::stdout_data, bytes_of("fine")));
  EXPECT_EQ(reader.next().error().code(), Errc::protocol);
  EXPECT_EQ(reader.next().error().code(), Errc::protocol);
}

TEST(FrameReader, PutsFramesTogetherByteByByte) {
  std::vector<std::byte> stream = encode_frame(FrameType::stdout_data, bytes_of("hello"));
  const auto second = encode_frame(FrameType::stderr_data, bytes_of(""));
  stream.insert(stream.end(), second.begin(), second.end());
  FrameReader reader(Direction::to_host);
  std::string seen;
  for (std::size_t index = 0; index < stream.size(); ++index) {
    feed(reader, as_bytes(stream).subspan(index, 1));
    const auto frame = reader.next();
    ASSERT_TRUE(frame.ok());
    if (!*frame) continue;
    seen += std::to_string(index) + ":" + std::string(text_of((*frame)->payload)) + ";";
  }
  EXPECT_EQ(seen, "12:hello;20:;");
}

TEST(FrameReader, CutsManyFramesOutOfOneRead) {
  std::vector<std::byte> stream;
  for (const char* const text : {"one", "two", "three"}) {
    const auto frame = encode_frame(FrameType::value_data, bytes_of(text));
    stream.insert(stream.end(), frame.begin(), frame.end());
  }
  FrameReader reader(Direction::to_host);
  feed(reader, stream);
  EXPECT_EQ(text_of(reader.next().value()->payload), "one");
  EXPECT_EQ(text_of(reader.next().value()->payload), "two");
  EXPECT_EQ(text_of(reader.next().value()->payload), "three");
  EXPECT_FALSE(reader.next().value().has_value());
}

TEST(FrameReader, KeepsABoundOnMemoryThroughAMillionEmptyFrames) {
  const auto header = frame_header(FrameType::stdout_data, 0);
  std::vector<std::byte> thousand;
  for (int index = 0; index < 1000; ++index)
    thousand.insert(thousand.end(), header.begin(), header.end());
  FrameReader reader(Direction::to_host);
  std::size_t frames = 0, most_space = 0;
  for (int index = 0; index < 1000; ++index) {
    feed(reader, thousand);
    while (reader.next().value()) ++frames;
    most_space = std::max(most_space, reader.space().size());
  }
  EXPECT_EQ(frames, 1'000'000U);
  EXPECT_LE(most_space, 256UL << 10);
}

TEST(FrameReader, KeepsABoundOnMemoryWhenEveryReadEndsInsideAFrame) {
  const auto frame = encode_frame(FrameType::stdout_data, bytes_of(std::string(kStreamBytes, 'x')));
  FrameReader reader(Direction::to_host);
  feed(reader, as_bytes(frame).first(100));
  std::size_t most_space = 0;
  for (int index = 0; index < 500; ++index) {
    feed(reader, as_bytes(frame).subspan(100));
    feed(reader, as_bytes(frame).first(100));
    ASSERT_TRUE(reader.next().value().has_value());
    ASSERT_FALSE(reader.next().value().has_value());
    most_space = std::max(most_space, reader.space().size());
  }
  EXPECT_LE(most_space, 512UL << 10);
}

TEST(FrameReader, AlwaysHasSpaceForTheNextRead) {
  FrameReader reader(Direction::to_runner);
  const auto frame = encode_frame(FrameType::job, bytes_of(std::string(kJobBytes, 'j')));
  for (Bytes left = frame; !left.empty();) {
    const auto space = reader.space();
    ASSERT_FALSE(space.empty());
    const std::size_t count = std::min({space.size(), left.size(), std::size_t{7777}});
    std::copy_n(left.begin(), count, space.begin());
    reader.commit(count);
    left = left.subspan(count);
  }
  EXPECT_EQ(reader.next().value()->payload.size(), kJobBytes);
}

}  // namespace
}  // namespace lazaret::runner
