#include "base/number.hpp"

#include <string>

#include <gtest/gtest.h>

namespace lazaret {
namespace {

TEST(ParseNumber, TakesWholeUnsignedNumbersOnly) {
  EXPECT_EQ(parse_number("0"), 0U);
  EXPECT_EQ(parse_number("18446744073709551615"), 18446744073709551615ULL);
  for (const std::string_view text :
       {"", "18446744073709551616", "-1", "+1", " 1", "1 ", "0x1", "max"}) {
    SCOPED_TRACE(std::string(text));
    EXPECT_EQ(parse_number(text), std::nullopt);
  }
}

TEST(ParseNumber, KeepsToItsTypeAndBase) {
  EXPECT_EQ(parse_number<std::uint16_t>("65535"), 65535);
  EXPECT_EQ(parse_number<std::uint16_t>("65536"), std::nullopt);
  EXPECT_EQ(parse_number<int>("-7"), -7);
  EXPECT_EQ(parse_number("fF", 16), 255U);
  EXPECT_EQ(parse_number("8", 8), std::nullopt);
}

}  // namespace
}  // namespace lazaret
