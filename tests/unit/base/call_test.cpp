#include "base/call.hpp"

#include <gtest/gtest.h>

namespace lazaret {
namespace {

using std::chrono::milliseconds;

// P-09: neither a clock that is set nor a machine that sleeps may fire or stall a deadline.
static_assert(Deadline::Clock::is_steady);

TEST(Deadline, NeverHasNoTimeLeftToTellAndDoesNotPass) {
  EXPECT_TRUE(Deadline::never().is_never());
  EXPECT_FALSE(Deadline::never().passed());
  EXPECT_EQ(Deadline::never().left(), std::nullopt);
}

TEST(Deadline, HasPassedAfterASpanOfZero) {
  EXPECT_TRUE(Deadline::after(milliseconds(0)).passed());
  EXPECT_EQ(Deadline::after(milliseconds(0)).left(), milliseconds(0));
}

TEST(Deadline, HasPassedAfterASpanBelowZeroHoweverFarBelow) {
  EXPECT_TRUE(Deadline::after(milliseconds(-1)).passed());
  EXPECT_TRUE(Deadline::after(milliseconds::min()).passed());
  EXPECT_EQ(Deadline::after(milliseconds::min()).left(), milliseconds(0));
}

TEST(Deadline, HasNotPassedBeforeItsTime) {
  const Deadline deadline = Deadline::after(std::chrono::hours(1));
  EXPECT_FALSE(deadline.passed());
  EXPECT_FALSE(deadline.is_never());
  EXPECT_GT(*deadline.left(), std::chrono::minutes(59));
  EXPECT_LE(*deadline.left(), std::chrono::hours(1));
}

TEST(Deadline, IsNeverWhenTheSpanIsBeyondTheClock) {
  EXPECT_TRUE(Deadline::after(milliseconds::max()).is_never());
  EXPECT_TRUE(Deadline::after(milliseconds::max() - milliseconds(1)).is_never());
  EXPECT_TRUE(Deadline::after(milliseconds::max() / 1'000'000 + milliseconds(1)).is_never());
}

TEST(Deadline, TakesTheEarlierOfTwo) {
  const Deadline soon = Deadline::after(milliseconds(0));
  EXPECT_TRUE(soon.earlier(Deadline::never()).passed());
  EXPECT_TRUE(Deadline::never().earlier(soon).passed());
  EXPECT_TRUE(Deadline::never().earlier(Deadline::never()).is_never());
}

TEST(Call, IsShortenedButNeverLengthened) {
  EXPECT_FALSE(Call{}.within(std::chrono::hours(1)).deadline.is_never());
  const Call over{Deadline::after(milliseconds(0)), {}};
  EXPECT_TRUE(over.within(std::chrono::hours(1)).deadline.passed());
}

TEST(Call, ChecksItsDeadline) {
  EXPECT_TRUE(Call{}.check().ok());
  EXPECT_EQ(Call{}.within(milliseconds(0)).check().error().code(), Errc::timed_out);
}

TEST(Call, SaysCancelledBeforeTimedOut) {
  std::stop_source source;
  const Call call{Deadline::after(milliseconds(0)), source.get_token()};
  EXPECT_EQ(call.check().error().code(), Errc::timed_out);
  source.request_stop();
  EXPECT_EQ(call.check().error().code(), Errc::cancelled);
  EXPECT_EQ(call.within(std::chrono::hours(1)).check().error().code(), Errc::cancelled);
}

}  // namespace
}  // namespace lazaret
