#include "base/turn.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <thread>
#include <vector>

namespace lazaret {
namespace {

Call with(const std::stop_source& stop) { return {Deadline::never(), stop.get_token()}; }

TEST(Turn, IsTakenAgainOnceItWasGivenBack) {
  Turn turn;
  { ASSERT_TRUE(turn.take(Call{}).ok()); }
  EXPECT_TRUE(turn.take(Call{}.within(std::chrono::milliseconds(0))).ok());
}

TEST(Turn, IsNotAwaitedBeyondTheDeadline) {
  Turn turn;
  const auto held = turn.take(Call{});
  const auto other = turn.take(Call{}.within(std::chrono::milliseconds(0)));
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code(), Errc::timed_out);
}

TEST(Turn, IsNotAwaitedBeyondAStop) {
  Turn turn;
  const auto held = turn.take(Call{});
  std::stop_source stop;
  std::jthread waiter([&turn, &stop] {
    const auto other = turn.take(with(stop));
    ASSERT_FALSE(other.ok());
    EXPECT_EQ(other.error().code(), Errc::cancelled);
  });
  stop.request_stop();
}

TEST(Turn, IsHandedToWhoeverWaits) {
  Turn turn;
  int inside = 0;
  const auto enter = [&turn, &inside] {
    const auto held = turn.take(Call{});
    EXPECT_TRUE(held.ok());
    EXPECT_EQ(++inside, 1);
    --inside;
  };
  std::array<std::jthread, 4> threads;
  for (std::jthread& thread : threads) thread = std::jthread(enter);
}

// Who comes later, and at the very moment when it is given back, does not pass those who wait.
TEST(Turn, IsHadInTheOrderInWhichItWasAskedFor) {
  Turn turn;
  std::vector<int> order;
  std::optional<Result<Turn::Held>> held(turn.take(Call{}));
  std::array<std::jthread, 4> threads;
  for (int index = 0; index < 4; ++index) {
    threads.at(static_cast<std::size_t>(index)) = std::jthread([&turn, &order, index] {
      const auto mine = turn.take(Call{});
      order.push_back(index);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  held.reset();
  EXPECT_FALSE(turn.take(Call{}.within(std::chrono::milliseconds(0))).ok() && order.size() < 4);
  for (std::jthread& thread : threads) thread.join();
  EXPECT_EQ(order, (std::vector{0, 1, 2, 3}));
}

TEST(Turn, IsHadByAsManyAsItIsForAndNobodyElse) {
  Turn turn(2);
  std::optional<Result<Turn::Held>> first(turn.take(Call{}));
  const auto second = turn.take(Call{});
  EXPECT_TRUE(first->ok() && second.ok());
  EXPECT_FALSE(turn.take(Call{}.within(std::chrono::milliseconds(0))).ok());
  first.reset();
  const auto third = turn.take(Call{}.within(std::chrono::milliseconds(0)));
  EXPECT_TRUE(third.ok());
  EXPECT_FALSE(turn.take(Call{}.within(std::chrono::milliseconds(0))).ok());
}

TEST(Turn, KnowsWhoHadToWaitForIt) {
  Turn turn;
  std::optional<Result<Turn::Held>> held(turn.take(Call{}));
  EXPECT_FALSE(held->value().has_waited());
  std::jthread waiter([&turn] {
    const auto mine = turn.take(Call{});
    EXPECT_TRUE(mine.value().has_waited());
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  held.reset();
}

TEST(Turn, IsNotLostOnWhoHasGivenUp) {
  Turn turn;
  std::optional<Result<Turn::Held>> held(turn.take(Call{}));
  EXPECT_FALSE(turn.take(Call{}.within(std::chrono::milliseconds(10))).ok());
  held.reset();
  EXPECT_TRUE(turn.take(Call{}.within(std::chrono::milliseconds(0))).ok());
}

TEST(Turn, BelongsToNobodyMovedFrom) {
  Turn turn;
  auto held = turn.take(Call{});
  ASSERT_TRUE(held.ok());
  const Turn::Held moved = std::move(held).value();
  EXPECT_FALSE(turn.take(Call{}.within(std::chrono::milliseconds(0))).ok());
}

}  // namespace
}  // namespace lazaret
