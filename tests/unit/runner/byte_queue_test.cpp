#include "runner/byte_queue.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace lazaret::runner {
namespace {

std::string text_in(const ByteQueue& queue) { return std::string(text_of(queue.bytes())); }

TEST(ByteQueue, IsEmptyAndHoldsNothingAtFirst) {
  const ByteQueue queue;
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.held_bytes(), 0U);
  EXPECT_EQ(text_in(queue), "");
}

TEST(ByteQueue, GivesBackInOrderWhatCameIn) {
  ByteQueue queue;
  queue.append(bytes_of("one"));
  const auto room = queue.room(100);
  ASSERT_GE(room.size(), 100U);
  std::copy_n(bytes_of("two!").begin(), 4, room.begin());
  queue.commit(3);
  EXPECT_EQ(text_in(queue), "onetwo");
  queue.drop(4);
  EXPECT_EQ(text_in(queue), "wo");
  EXPECT_EQ(queue.size(), 2U);
}

TEST(ByteQueue, CountsRoomOnlyOnceItIsCommitted) {
  ByteQueue queue;
  (void)queue.room(10);
  EXPECT_TRUE(queue.empty());
  queue.append({});
  EXPECT_TRUE(queue.empty());
}

TEST(ByteQueue, KeepsEveryByteWhileItGrowsAndMoves) {
  ByteQueue queue;
  std::string wanted;
  for (int step = 0; step < 2000; ++step) {
    const std::string piece(static_cast<std::size_t>(step % 97),
                            static_cast<char>('a' + step % 26));
    queue.append(bytes_of(piece));
    wanted += piece;
    const std::size_t gone = std::min(wanted.size(), static_cast<std::size_t>(step % 89));
    queue.drop(gone);
    wanted.erase(0, gone);
    ASSERT_EQ(text_in(queue), wanted) << step;
  }
}

TEST(ByteQueue, HoldsAtMostTwiceWhatItHadToHoldAtOnce) {
  ByteQueue queue;
  const std::string piece(1000, 'x');
  queue.append(bytes_of(piece));
  for (int step = 0; step < 10'000; ++step) {
    queue.append(bytes_of(piece));
    queue.drop(piece.size() - 1 + static_cast<std::size_t>(step % 3));
  }
  EXPECT_LE(queue.held_bytes(), 2 * (3 * piece.size()));
}

}  // namespace
}  // namespace lazaret::runner
