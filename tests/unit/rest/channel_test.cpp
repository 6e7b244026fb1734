#include "api/rest/channel.hpp"

#include <future>

#include <gtest/gtest.h>

namespace lazaret::rest {
namespace {

Call soon_over() { return Call{}.within(std::chrono::milliseconds(1)); }
Call patient() { return Call{}.within(std::chrono::seconds(10)); }

struct ChannelBed {
  int moves = 0;
  Channel channel{[this] { ++moves; }};
};

TEST(RestChannel, CarriesPiecesInTheirOrderAndEnds) {
  ChannelBed bed;
  bed.channel.put("a");
  bed.channel.put("");
  bed.channel.put("b");
  bed.channel.end();
  EXPECT_EQ(bed.channel.receive(patient()).value(), "a");
  EXPECT_FALSE(bed.channel.over());
  EXPECT_EQ(bed.channel.receive(patient()).value(), "b");
  EXPECT_TRUE(bed.channel.over());
  EXPECT_EQ(bed.channel.receive(patient()).value(), "");
  EXPECT_EQ(bed.moves, 3);
}

TEST(RestChannel, HasRoomForItsBoundAndWaitsThen) {
  ChannelBed bed;
  EXPECT_TRUE(bed.channel.send(std::string(Channel::kMostBytes - 1, 'x'), soon_over()).ok());
  EXPECT_TRUE(bed.channel.has_room());
  EXPECT_TRUE(bed.channel.send("x", soon_over()).ok());
  EXPECT_FALSE(bed.channel.has_room());
  EXPECT_EQ(bed.channel.send("x", soon_over()).error().code(), Errc::timed_out);
  EXPECT_EQ(bed.channel.next()->size(), Channel::kMostBytes - 1);
  EXPECT_TRUE(bed.channel.send("x", soon_over()).ok());
}

TEST(RestChannel, WaitsForAPieceNoLongerThanItsCall) {
  ChannelBed bed;
  EXPECT_EQ(bed.channel.receive(soon_over()).error().code(), Errc::timed_out);
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
  EXPECT_EQ(bed.channel.receive(patient()).error().message(), "first");
  EXPECT_EQ(bed.channel.send("c", patient()).error().message(), "first");
  EXPECT_FALSE(bed.channel.failed());
  EXPECT_EQ(bed.channel.next(), "a");
  EXPECT_TRUE(bed.channel.failed());
  EXPECT_FALSE(bed.channel.next());
}

TEST(RestChannel, WakesWhoWaits) {
  ChannelBed bed;
  auto piece = std::async(std::launch::async, [&] { return bed.channel.receive(patient()); });
  bed.channel.put("a");
  EXPECT_EQ(piece.get().value(), "a");
  auto none = std::async(std::launch::async, [&] { return bed.channel.receive(patient()); });
  bed.channel.fail(Error(Errc::connection_lost, "gone"));
  EXPECT_EQ(none.get().error().code(), Errc::connection_lost);
}

}  // namespace
}  // namespace lazaret::rest
