#include "policy/quantity.hpp"

#include <gtest/gtest.h>

namespace lazaret::policy {
namespace {

TEST(Quantity, ReadsTimesWithAndWithoutUnit) {
  EXPECT_EQ(parse_quantity("30", Unit::milliseconds).value(), 30'000);
  EXPECT_EQ(parse_quantity("1.5", Unit::milliseconds).value(), 1'500);
  EXPECT_EQ(parse_quantity("500ms", Unit::milliseconds).value(), 500);
  EXPECT_EQ(parse_quantity("5m", Unit::milliseconds).value(), 300'000);
  EXPECT_EQ(parse_quantity("1h", Unit::seconds).value(), 3'600);
}

TEST(Quantity, ReadsSizesInPowersOfTwo) {
  EXPECT_EQ(parse_quantity("65536", Unit::bytes).value(), 65'536);
  EXPECT_EQ(parse_quantity("64KiB", Unit::bytes).value(), 65'536);
  EXPECT_EQ(parse_quantity("512m", Unit::bytes).value(), 512.0 * 1024 * 1024);
}

TEST(Quantity, RefusesWhatIsNotAnAmount) {
  for (const auto* text : {"", " ", "-1", "+1", "1e3", "0x10", "inf", "nan", "1.2.3", ".5", "5.",
                           "5 s", "5d", "0.1ms", "99999999999999999999999999999999"}) {
    EXPECT_FALSE(parse_quantity(text, Unit::milliseconds).ok()) << text;
  }
}

TEST(Quantity, RefusesPartsOfWhatIsCounted) {
  EXPECT_FALSE(parse_quantity("1.5", Unit::count).ok());
  EXPECT_FALSE(parse_quantity("1.5", Unit::bytes).ok());
  EXPECT_FALSE(parse_quantity("500ms", Unit::seconds).ok());
}

TEST(Quantity, ShowsWhatItReadsBack) {
  for (const auto* text : {"30s", "1500ms"}) {
    EXPECT_EQ(show_quantity(parse_quantity(text, Unit::milliseconds).value(), Unit::milliseconds),
              text);
  }
  for (const auto* text : {"512MiB", "3KiB", "4GiB", "1025"}) {
    EXPECT_EQ(show_quantity(parse_quantity(text, Unit::bytes).value(), Unit::bytes), text);
  }
}

TEST(Quantity, QuotesForeignTextShortAndPrintable) {
  EXPECT_EQ(in_quotes("a\nb\x1b"), "\"a?b?\"");
  EXPECT_LT(in_quotes(std::string(10'000, 'x')).size(), 80U);
}

TEST(PlainSeconds, TakesPositiveDecimalsOnly) {  // P-14
  EXPECT_EQ(parse_plain_seconds("30").value(), 30);
  EXPECT_EQ(parse_plain_seconds("0.5").value(), 0.5);
  for (const auto* text : {"", "0", "0.0", "-1", "nan", "inf", "1e9", "30s", "abc", " 30",
                           "0x1e"}) {
    EXPECT_FALSE(parse_plain_seconds(text).ok()) << text;
  }
}

}  // namespace
}  // namespace lazaret::policy
