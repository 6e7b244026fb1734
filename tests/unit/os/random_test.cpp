#include "os/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

namespace lazaret::os {
namespace {

TEST(Random, SaysAsManyDigitsAsWereAsked) {
  for (const std::size_t digits : {0U, 1U, 7U, 8U, 9U, 16U, 64U}) {
    const std::string text = random_hex(digits);
    EXPECT_EQ(text.size(), digits);
    EXPECT_EQ(text.find_first_not_of("0123456789abcdef"), std::string::npos) << text;
  }
}

// Every digit in every place: nothing is left out, and no part is drawn once only.
TEST(Random, DrawsEveryDigitAnew) {
  std::set<std::string> seen;
  std::array<std::set<char>, 16> places;
  for (int round = 0; round < 500; ++round) {
    const std::string text = random_hex(places.size());
    seen.insert(text);
    for (std::size_t place = 0; place < places.size(); ++place) places[place].insert(text[place]);
  }
  EXPECT_EQ(seen.size(), 500U);
  EXPECT_TRUE(std::ranges::all_of(places, [](const auto& place) { return place.size() == 16; }));
}

}  // namespace
}  // namespace lazaret::os
