// WHY: the runner's program is no library; its one self-contained part is tested in place.
#include "runner/program/outbox.cpp"  // NOLINT(bugprone-suspicious-include)

#include <fcntl.h>
#include <signal.h>

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "os/wire.hpp"

namespace lazaret::runner {
namespace {

struct Ends {
  os::Handle out, in;
  explicit Ends(Result<std::pair<os::Handle, os::Handle>> made) {
    out = std::move(made->first);
    in = std::move(made->second);
    EXPECT_TRUE(os::set_nonblocking(in.get()).ok());
    EXPECT_TRUE(os::set_nonblocking(out.get()).ok());
  }
};

struct Pipe : Ends {
  Pipe() : Ends(os::make_pipe()) {}
  std::string read(std::size_t most) {
    std::string text(most, '\0');
    const auto count = os::read_now(out.get(), std::as_writable_bytes(std::span(text)));
    text.resize(count.ok() && *count ? **count : 0);
    return text;
  }
};

// The wire of a native box, and its host.
struct SocketWire : Ends {
  FrameReader reader{Direction::to_host};
  SocketWire() : Ends(os::stream_pair()) {}
  // All frames that are there: the first letter of their types' names, and their payloads.
  std::string heard(std::size_t most = 1UL << 20) {
    std::string all;
    for (;;) {
      const auto space = reader.space();
      const auto count = os::read_now(out.get(), space.first(std::min(most, space.size())));
      if (!count.ok() || count->value_or(0) == 0) return all;
      reader.commit(**count);
      for (auto frame = reader.next(); frame.ok() && *frame; frame = reader.next())
        all += ((*frame)->type == FrameType::stdout_data ? "o:" : "e:") +
               std::string(text_of((*frame)->payload));
    }
  }
};

void write_all(const os::Handle& pipe, std::string_view text) {
  EXPECT_EQ(os::write_now(pipe.get(), bytes_of(text)).value(), text.size());
}

TEST(Outbox, MovesWhatIsInAPipeAndKeepsItsPlace) {
  for (const bool is_sent_first : {true, false}) {
    Pipe program;
    SocketWire wire;
    Outbox outbox;
    outbox.put(FrameType::stderr_data, bytes_of("one"));
    write_all(program.in, "two");
    EXPECT_EQ(outbox.move(FrameType::stdout_data, program.out.get()).value(), 3U);
    EXPECT_FALSE(outbox.has_room());
    if (is_sent_first) {
      EXPECT_TRUE(outbox.flush(wire.in.get()).ok());
    }
    outbox.put(FrameType::stderr_data, bytes_of("three"));
    EXPECT_TRUE(outbox.has_room());
    EXPECT_TRUE(outbox.flush(wire.in.get()).ok());
    EXPECT_TRUE(outbox.empty());
    EXPECT_EQ(wire.heard(), "e:oneo:twoe:three");
  }
}

TEST(Outbox, MovesNothingWhereNothingIs) {
  Pipe program;
  Outbox outbox;
  EXPECT_EQ(outbox.move(FrameType::stdout_data, program.out.get()).value(), std::nullopt);
  program.in.reset();
  EXPECT_EQ(outbox.move(FrameType::stdout_data, program.out.get()).value(), 0U);
  EXPECT_TRUE(outbox.empty());
  EXPECT_TRUE(outbox.has_room());
}

TEST(Outbox, StaysAsItWasWhereNothingCanBeMoved) {
  Outbox outbox;
  outbox.put(FrameType::stdout_data, bytes_of("one"));
  const os::Handle null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_FALSE(outbox.move(FrameType::stdout_data, null.get()).ok());
  SocketWire wire;
  EXPECT_TRUE(outbox.flush(wire.in.get()).ok());
  EXPECT_EQ(wire.heard(), "o:one");
}

// A program can read what it has written, as long as that is in its own pipe.
TEST(Outbox, AnnouncesNothingThatCanStillBeTakenAway) {
  Pipe program;
  SocketWire wire;
  Outbox outbox;
  write_all(program.in, "mine");
  EXPECT_EQ(outbox.move(FrameType::stdout_data, program.out.get()).value(), 4U);
  EXPECT_EQ(program.read(100), "");
  EXPECT_TRUE(outbox.flush(wire.in.get()).ok());
  EXPECT_EQ(wire.heard(), "o:mine");
}

// pipe(2), O_DIRECT: of a packet that is read in parts only the first would arrive.
TEST(Outbox, MovesPacketsWhole) {
  for (const bool is_taken_back : {true, false}) {
    Pipe program;
    ASSERT_EQ(::fcntl(program.in.get(), F_SETFL, O_NONBLOCK | O_DIRECT), 0);
    SocketWire wire;
    Outbox outbox;
    const std::string packet(4096, 'p');
    for (int index = 0; index < 5; ++index) write_all(program.in, packet);
    EXPECT_EQ(outbox.move(FrameType::stdout_data, program.out.get()).value(), 5 * 4096U);
    if (is_taken_back) outbox.put(FrameType::stderr_data, {});
    EXPECT_TRUE(outbox.flush(wire.in.get()).ok());
    EXPECT_EQ(wire.heard(1000), "o:" + std::string(5 * 4096, 'p') + (is_taken_back ? "e:" : ""));
  }
}

// A host that takes a little at a time.
TEST(Outbox, MovesAllOfItInOrderOnAWireThatIsFull) {
  Pipe program;
  SocketWire wire;
  Outbox outbox;
  std::string written, heard;
  for (int round = 0; round < 60; ++round) {
    const std::string piece(64UL << 10, static_cast<char>('a' + round % 26));
    const auto count = os::write_now(program.in.get(), bytes_of(piece));
    written += piece.substr(0, count.value());
    if (outbox.has_room()) (void)outbox.move(FrameType::stdout_data, program.out.get());
    if (round % 7 == 0) outbox.put(FrameType::stdout_data, {});
    ASSERT_TRUE(outbox.flush(wire.in.get()).ok());
    if (round % 3 == 0) heard += wire.heard(5000);
  }
  for (int rest = 0; rest < 20; ++rest) {
    (void)outbox.move(FrameType::stdout_data, program.out.get());
    ASSERT_TRUE(outbox.flush(wire.in.get()).ok());
    heard += wire.heard(5000);
  }
  std::erase(heard, ':');
  std::erase(heard, 'o');
  std::erase(written, 'o');
  EXPECT_TRUE(heard == written) << heard.size() << " instead of " << written.size();
  EXPECT_LE(outbox.held_bytes(), 1UL << 20);
}

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
