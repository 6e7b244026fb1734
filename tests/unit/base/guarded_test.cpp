#include "base/guarded.hpp"

#include <array>
#include <thread>

#include <gtest/gtest.h>

namespace lazaret {
namespace {

TEST(Guarded, LosesNoneOfTheChangesOfTwoThreads) {
  Guarded<int> number(1);
  const auto count_up = [&number] {
    for (int turn = 0; turn < 10'000; ++turn) number.with([](int& value) { ++value; });
  };
  { const std::array<std::jthread, 2> threads = {std::jthread(count_up), std::jthread(count_up)}; }
  EXPECT_EQ(number.with([](const int& value) { return value; }), 20'001);
}

}  // namespace
}  // namespace lazaret
