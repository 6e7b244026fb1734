// WHY: the runner's program is no library; its one self-contained part is tested in place.
#include "runner/program/outbox.cpp"  // NOLINT(bugprone-suspicious-include)

#include <signal.h>

#include <array>

#include <gtest/gtest.h>

namespace lazaret::runner {
namespace {

struct Pipe {
  os::Handle out, in;
  Pipe() {
    auto ends = os::make_pipe();
    out = std::move(ends->first);
    in = std::move(ends->second);
    EXPECT_TRUE(os::set_nonblocking(in.get()).ok());
    EXPECT_TRUE(os::set_nonblocking(out.get()).ok());
  }
  std::string read(std::size_t most) {
    std::string text(most, '\0');
    const auto count = os::read_now(out.get(), std::as_writable_bytes(std::span(text)));
    text.resize(count.ok() && *count ? **count : 0);
    return text;
  }
};

TEST(Outbox, IsEmptyAndHasRoomAtFirst) {
  Outbox outbox;
  EXPECT_TRUE(outbox.empty());
  EXPECT_TRUE(outbox.has_room());
}

TEST(Outbox, WritesFramesInOrder) {
  Pipe pipe;
  Outbox outbox;
  outbox.put(FrameType::stdout_data, bytes_of("one"));
  const auto space = outbox.reserve();
  ASSERT_EQ(space.size(), kStreamBytes);
  std::copy_n(bytes_of("two!").begin(), 4, space.begin());
  outbox.commit(FrameType::stderr_data, 3);
  ASSERT_TRUE(outbox.flush(pipe.in.get()).ok());
  EXPECT_TRUE(outbox.empty());
  FrameReader reader(Direction::to_host);
  const std::string wire = pipe.read(100);
  std::copy_n(bytes_of(wire).begin(), wire.size(), reader.space().begin());
  reader.commit(wire.size());
  EXPECT_EQ(text_of(reader.next().value()->payload), "one");
  const auto second = reader.next().value();
  EXPECT_EQ(second->type, FrameType::stderr_data);
  EXPECT_EQ(text_of(second->payload), "two");
  EXPECT_FALSE(reader.next().value().has_value());
}

TEST(Outbox, HasLittleBelowFourKibibytes) {
  Outbox outbox;
  EXPECT_TRUE(outbox.has_little());
  const std::string most(4095 - kHeaderBytes, 'x');
  outbox.put(FrameType::stdout_data, bytes_of(most));
  EXPECT_TRUE(outbox.has_little());
  outbox.put(FrameType::stdout_data, {});
  EXPECT_FALSE(outbox.has_little());
}

TEST(Outbox, MakesNoFrameOfNothing) {
  Outbox outbox;
  (void)outbox.reserve();
  outbox.commit(FrameType::stdout_data, 0);
  EXPECT_TRUE(outbox.empty());
}

TEST(Outbox, HasNoRoomOnceAQuarterOfAMegabyteWaits) {
  Outbox outbox;
  const std::string piece(kStreamBytes - kHeaderBytes, 'x');
  for (int index = 0; index < 4; ++index) {
    EXPECT_TRUE(outbox.has_room());
    outbox.put(FrameType::stdout_data, bytes_of(piece));
  }
  EXPECT_FALSE(outbox.has_room());
}

TEST(Outbox, GetsRoomBackWhenTheHostReads) {
  Pipe pipe;
  Outbox outbox;
  while (outbox.has_room()) outbox.put(FrameType::stdout_data, bytes_of(std::string(1000, 'x')));
  ASSERT_TRUE(outbox.flush(pipe.in.get()).ok());
  EXPECT_TRUE(outbox.has_room());
  EXPECT_FALSE(outbox.empty());
}

// A wire that takes a little at a time is never empty; what has gone must not be kept.
TEST(Outbox, HoldsNoMoreThanItsBoundOnAWireThatIsNeverEmpty) {
  Pipe pipe;
  Outbox outbox;
  const std::string piece(10'000, 'x');
  std::size_t put = 0, most_capacity = 0, read = 0;
  while (read < (32UL << 20)) {
    for (; outbox.has_room(); ++put) outbox.put(FrameType::stdout_data, bytes_of(piece));
    ASSERT_TRUE(outbox.flush(pipe.in.get()).ok());
    ASSERT_FALSE(outbox.empty());
    read += pipe.read(4096).size();
    most_capacity = std::max(most_capacity, outbox.held_bytes());
  }
  EXPECT_LE(most_capacity, 1UL << 20);
}

TEST(Outbox, SaysWhenTheHostIsGone) {
  Pipe pipe;
  pipe.out.reset();
  Outbox outbox;
  outbox.put(FrameType::hello, {});
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  ASSERT_EQ(::sigaction(SIGPIPE, &ignore, &before), 0);
  EXPECT_EQ(outbox.flush(pipe.in.get()).error().code(), Errc::connection_lost);
  ASSERT_EQ(::sigaction(SIGPIPE, &before, nullptr), 0);
}

}  // namespace
}  // namespace lazaret::runner
