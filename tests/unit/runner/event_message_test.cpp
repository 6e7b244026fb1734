#include <gtest/gtest.h>

#include "runner/frame.hpp"
#include "unit/runner/message_bed.hpp"

// What is said of files that change.
namespace lazaret::runner {
namespace {

using test::expect_only_whole;

const Event kMoved{Event::Kind::moved, true, "a/b", "c", 0};

TEST(EventMessage, ComesBackAsItWas) {
  const auto moved = decode_event(encode(kMoved));
  ASSERT_TRUE(moved.ok());
  EXPECT_EQ(moved->kind, Event::Kind::moved);
  EXPECT_TRUE(moved->is_directory);
  EXPECT_EQ(moved->path, "a/b");
  EXPECT_EQ(moved->target, "c");
  EXPECT_EQ(decode_event(encode(Event{Event::Kind::begun, false, "", "", 28}))->os_error, 28);
  EXPECT_TRUE(decode_event(encode(Event{Event::Kind::missed, false, "", "", 0})).ok());
}

TEST(EventMessage, IsRefusedCutOrLengthened) { expect_only_whole(encode(kMoved), decode_event); }

TEST(EventMessage, HasWhatItsKindHasAndNothingElse) {
  using Kind = Event::Kind;
  for (const Event& wrong : {
           Event{Kind::moved, false, "a", "", 0},
           Event{Kind::created, false, "", "", 0},
           Event{Kind::created, false, "a", "b", 0},
           Event{Kind::removed, false, "a", "", 1},
           Event{Kind::begun, false, "a", "", 0},
           Event{Kind::begun, true, "", "", 0},
           Event{static_cast<Kind>(6), false, "a", "", 0},
       })
    EXPECT_FALSE(decode_event(encode(wrong)).ok());
}

TEST(EventMessage, TakesPathsAtTheirLimitAndNoneBeyond) {
  const std::string longest(kPathBytes, 'p'), longer(kPathBytes + 1, 'p');
  const auto both = encode(Event{Event::Kind::moved, false, longest, longest, 0});
  EXPECT_TRUE(decode_event(both).ok());
  EXPECT_LE(both.size(), payload_cap(FrameType::event));
  EXPECT_FALSE(decode_event(encode(Event{Event::Kind::moved, false, longer, "b", 0})).ok());
  EXPECT_FALSE(decode_event(encode(Event{Event::Kind::moved, false, "a", longer, 0})).ok());
}

}  // namespace
}  // namespace lazaret::runner
