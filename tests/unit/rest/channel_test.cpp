#include "api/rest/channel.hpp"

#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "base/try.hpp"
#include "soon.hpp"

namespace lazaret::rest {
namespace {

using lazaret::test::at_once;
using lazaret::test::soon;
using namespace std::chrono_literals;

struct ChannelBed {
  int moves = 0;
  Channel channel{[this] { ++moves; }};
};

TEST(RestChannel, CarriesPiecesInTheirOrderAndEnds) {
  ChannelBed bed;
  bed.channel.put(std::string(64 * 1024, 'a'));
  bed.channel.put("");
  bed.channel.put("b");
  bed.channel.end();
  EXPECT_EQ(bed.channel.receive(soon()).value(), std::string(64 * 1024, 'a'));
  EXPECT_FALSE(bed.channel.over());
  EXPECT_EQ(bed.channel.receive(soon()).value(), "b");
  EXPECT_TRUE(bed.channel.over());
  EXPECT_EQ(bed.channel.receive(soon()).value(), "");
  EXPECT_EQ(bed.moves, 3);
}

TEST(RestChannel, HasRoomForItsBoundAndWaitsThen) {
  ChannelBed bed;
  EXPECT_TRUE(bed.channel.send(std::string(Channel::kMostBytes - 1, 'x'), soon()).ok());
  EXPECT_TRUE(bed.channel.has_room());
  EXPECT_TRUE(bed.channel.send("x", soon()).ok());
  EXPECT_FALSE(bed.channel.has_room());
  EXPECT_EQ(bed.channel.send("x", at_once()).error().code(), Errc::timed_out);
  EXPECT_EQ(bed.channel.next()->size(), Channel::kMostBytes - 1);
  EXPECT_TRUE(bed.channel.send("x", soon()).ok());
}

TEST(RestChannel, LooksAtItsTimeThoughNothingHasToBeWaitedFor) {
  ChannelBed bed;
  bed.channel.put("a");
  EXPECT_EQ(bed.channel.receive(at_once()).error().code(), Errc::timed_out);
  EXPECT_EQ(bed.channel.send("b", at_once()).error().code(), Errc::timed_out);
  EXPECT_EQ(bed.channel.receive(soon()).value(), "a");
}

TEST(RestChannel, MakesOnePieceOfManySmallOnes) {
  ChannelBed bed;
  for (std::size_t count = 0; count < 64 * 1024; ++count) bed.channel.put("x");
  bed.channel.put("y");
  EXPECT_EQ(bed.channel.next(), std::string(64 * 1024, 'x'));
  EXPECT_EQ(bed.channel.next(), "y");
}

TEST(RestChannel, EndsAndFailsOnce) {
  ChannelBed bed;
  bed.channel.end();
  bed.channel.end();
  EXPECT_EQ(bed.moves, 1);
  bed.channel.fail(Error(Errc::connection_lost, "gone"));
  bed.channel.fail(Error(Errc::connection_lost, "gone"));
  EXPECT_EQ(bed.moves, 2);
}

TEST(RestChannel, WaitsForAPieceNoLongerThanItsCall) {
  ChannelBed bed;
  EXPECT_EQ(bed.channel.receive(at_once()).error().code(), Errc::timed_out);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(bed.channel.receive({Deadline::never(), stop.get_token()}).error().code(),
            Errc::cancelled);
}

TEST(RestChannel, HasForTheLoopAloneWhatCameBeforeItFailed) {
  ChannelBed bed;
  bed.channel.put("a");
  bed.channel.fail(Error(Errc::connection_lost, "first"));
  bed.channel.fail(Error(Errc::timed_out, "second"));
  bed.channel.put("b");
  EXPECT_EQ(bed.channel.receive(soon()).error().message(), "first");
  EXPECT_EQ(bed.channel.send("c", soon()).error().message(), "first");
  EXPECT_FALSE(bed.channel.failed());
  EXPECT_EQ(bed.channel.next(), "a");
  EXPECT_TRUE(bed.channel.failed());
  EXPECT_FALSE(bed.channel.next());
}

// Of the loop, which takes and puts without waiting, and a worker, who waits for both.
TEST(RestChannel, WakesWhoWaits) {
  Channel in([] {}), out([] {});
  auto worked = std::async(std::launch::async, [&]() -> Status {
    for (;;) {
      LAZARET_TRY(const std::string piece, in.receive(soon()));
      LAZARET_CHECK(out.send(std::string(Channel::kMostBytes, 'x'), soon()));
      LAZARET_CHECK(out.send(piece, soon()));
    }
  });
  const auto taken = [&out, until = std::chrono::steady_clock::now() + 30s] {
    std::optional<std::string> piece;
    while (!(piece = out.next()) && std::chrono::steady_clock::now() < until)
      std::this_thread::yield();
    return piece.value_or("");
  };
  for (int count = 0; count < 20; ++count) {
    in.put(std::to_string(count));
    EXPECT_EQ(taken().size(), Channel::kMostBytes);
    EXPECT_EQ(taken(), std::to_string(count));
  }
  in.fail(Error(Errc::connection_lost, "gone"));
  EXPECT_EQ(worked.get().error().code(), Errc::connection_lost);
}

}  // namespace
}  // namespace lazaret::rest
