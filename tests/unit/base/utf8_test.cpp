#include "base/utf8.hpp"

#include <string>

#include <gtest/gtest.h>

namespace lazaret {
namespace {

constexpr const char* kBad = "\xEF\xBF\xBD";

// By the definition of Unicode 15, D92, not by the table that the code uses.
std::string encoded(char32_t point) {
  const auto tail = [point](int shift) {
    return static_cast<char>(0x80 | ((point >> shift) & 0x3F));
  };
  if (point < 0x80) return {static_cast<char>(point)};
  if (point < 0x800) return {static_cast<char>(0xC0 | (point >> 6)), tail(0)};
  if (point < 0x10000) return {static_cast<char>(0xE0 | (point >> 12)), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | (point >> 18)), tail(12), tail(6), tail(0)};
}

bool is_surrogate(char32_t point) { return point >= 0xD800 && point <= 0xDFFF; }

TEST(Utf8, AcceptsEveryScalarValueAndNoSurrogate) {
  std::size_t wrong = 0;
  for (char32_t point = 0; point <= 0x10FFFF; ++point) {
    if (is_utf8(encoded(point)) == is_surrogate(point)) ++wrong;
  }
  EXPECT_EQ(wrong, 0U);
}

TEST(Utf8, RefusesEverythingAboveTheLastCodePoint) {
  EXPECT_TRUE(is_utf8(encoded(0x10FFFF)));
  EXPECT_FALSE(is_utf8(encoded(0x110000)));
  EXPECT_FALSE(is_utf8(encoded(0x1FFFFF)));
}

struct Bytes3_7 {
  const char* name;
  std::string text;
  bool well_formed;
};

// The first and the last of each row of table 3-7, and their neighbours outside.
const Bytes3_7 kTable[] = {
    {"empty", "", true},
    {"lone continuation", "\x80", false},
    {"C0 is always overlong", "\xC0\x80", false},
    {"C1 is always overlong", "\xC1\xBF", false},
    {"C2 80 first", "\xC2\x80", true},
    {"C2 7F", "\xC2\x7F", false},
    {"C2 C0", "\xC2\xC0", false},
    {"DF BF last", "\xDF\xBF", true},
    {"E0 9F overlong", "\xE0\x9F\xBF", false},
    {"E0 A0 first", "\xE0\xA0\x80", true},
    {"E1 80 first", "\xE1\x80\x80", true},
    {"EC BF last", "\xEC\xBF\xBF", true},
    {"ED 9F last before surrogates", "\xED\x9F\xBF", true},
    {"ED A0 first surrogate", "\xED\xA0\x80", false},
    {"ED BF last surrogate", "\xED\xBF\xBF", false},
    {"EE 80 first after surrogates", "\xEE\x80\x80", true},
    {"EF BF last", "\xEF\xBF\xBF", true},
    {"F0 8F overlong", "\xF0\x8F\xBF\xBF", false},
    {"F0 90 first", "\xF0\x90\x80\x80", true},
    {"F3 BF last", "\xF3\xBF\xBF\xBF", true},
    {"F4 8F last", "\xF4\x8F\xBF\xBF", true},
    {"F4 90 beyond", "\xF4\x90\x80\x80", false},
    {"F5 no lead", "\xF5\x80\x80\x80", false},
    {"FF no lead", "\xFF", false},
    {"third byte low", "\xE1\x80\x7F", false},
    {"fourth byte high", "\xF1\x80\x80\xC0", false},
    {"truncated two", "\xC3", false},
    {"truncated three", "\xE2\x82", false},
    {"truncated four", "\xF0\x9F\x98", false},
    {"NUL is a character", std::string(1, '\0'), true},
};

TEST(Utf8, FollowsEachRowOfTheWellFormedSequences) {
  for (const Bytes3_7& row : kTable) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(is_utf8(row.text), row.well_formed);
    EXPECT_EQ(is_utf8("a" + row.text + "z"), row.well_formed);
  }
}

TEST(Utf8, RepairsEveryPairOfBytesIntoUtf8) {
  std::size_t wrong = 0;
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string pair{static_cast<char>(first), static_cast<char>(second)};
      if (!is_utf8(to_utf8(pair)) || (is_utf8(pair) && to_utf8(pair) != pair)) ++wrong;
    }
  }
  EXPECT_EQ(wrong, 0U);
}

// Unicode 15, 3.9, tables 3-8 to 3-11.
TEST(Utf8, PutsOneReplacementForEachMaximalPart) {
  const std::string bad = kBad;
  EXPECT_EQ(to_utf8("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82"
                    "A"),
            bad + bad + bad + bad + bad + bad + bad + bad + "A");
  EXPECT_EQ(to_utf8("\xED\xA0\x80\xED\xBF\xBF\xED\xAF"
                    "A"),
            bad + bad + bad + bad + bad + bad + bad + bad + "A");
  EXPECT_EQ(to_utf8("\xF4\x91\x92\x93\xFF"
                    "A\x80\xBF"
                    "B"),
            bad + bad + bad + bad + bad + "A" + bad + bad + "B");
  EXPECT_EQ(to_utf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF"
                    "A"),
            bad + bad + bad + bad + "A");
}

TEST(WholePrefix, LeavesOutAnUnfinishedCharacterOnly) {
  const std::string smile = "\xF0\x9F\x98\x80";
  EXPECT_EQ(whole_prefix(""), 0U);
  EXPECT_EQ(whole_prefix("ab"), 2U);
  EXPECT_EQ(whole_prefix("a" + smile), 5U);
  EXPECT_EQ(whole_prefix("a" + smile.substr(0, 3)), 1U);
  EXPECT_EQ(whole_prefix("a" + smile.substr(0, 2)), 1U);
  EXPECT_EQ(whole_prefix("a" + smile.substr(0, 1)), 1U);
  EXPECT_EQ(whole_prefix("a\xC3"), 1U);
  EXPECT_EQ(whole_prefix("a\xE2\x82"), 1U);
}

TEST(WholePrefix, KeepsWhatCanNeverBecomeACharacter) {
  EXPECT_EQ(whole_prefix("a\x80"), 2U);
  EXPECT_EQ(whole_prefix("\x80\x80\x80\x80\x80"), 5U);
  EXPECT_EQ(whole_prefix("a\xFF"), 2U);
}

TEST(FirstBoundary, SkipsThreeContinuationBytesAtMost) {
  EXPECT_EQ(first_boundary(""), 0U);
  EXPECT_EQ(first_boundary("abc"), 0U);
  EXPECT_EQ(first_boundary("\xC3\xA4"), 0U);
  EXPECT_EQ(first_boundary("\xA4z"), 1U);
  EXPECT_EQ(first_boundary("\x9F\x98\x80z"), 3U);
  EXPECT_EQ(first_boundary("\x80\x80\x80\x80\x80"), 3U);
  EXPECT_EQ(first_boundary("\x80\x80"), 2U);
}

TEST(Utf8Cuts, AtEveryPlaceOfATextLeaveTwoWellFormedSides) {
  const std::string text = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80z";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    SCOPED_TRACE(cut);
    const std::string left = text.substr(0, cut), right = text.substr(cut);
    EXPECT_TRUE(is_utf8(left.substr(0, whole_prefix(left))));
    EXPECT_TRUE(is_utf8(right.substr(first_boundary(right))));
  }
}

TEST(Printable, LeavesWordsOfEveryScriptAlone) {
  const std::string text = "plain, \xC3\xA9t\xC3\xA9, \xE6\xBC\xA2, \xD7\x90, \xF0\x9F\x90\x9A";
  EXPECT_EQ(printable(text, '?'), text);
}

TEST(Printable, ReplacesWhatCommandsATerminal) {
  EXPECT_EQ(printable("a\x1B[31m\n\x7F", '?'), "a?[31m??");
  EXPECT_EQ(printable("a\xC2\x9B"
                      "31m\xC2\x80\xC2\x9F\xC2\xA0",
                      '?'),
            "a?31m??\xC2\xA0");  // C1
}

TEST(Printable, ReplacesWhatTurnsOrBreaksTheLine) {
  // U+200E, U+202E, U+2066, U+2069, U+061C, U+2028; U+200D and U+2030 are none of them.
  EXPECT_EQ(printable("\xE2\x80\x8E\xE2\x80\xAE\xE2\x81\xA6\xE2\x81\xA9\xD8\x9C\xE2\x80\xA8", '?'),
            "??????");
  EXPECT_EQ(printable("\xE2\x80\x8D\xE2\x80\xB0", '?'), "\xE2\x80\x8D\xE2\x80\xB0");
}

TEST(Printable, IsUtf8WhateverItIsGiven) {
  EXPECT_EQ(printable("\xC2", '?'), "\xEF\xBF\xBD");
  EXPECT_TRUE(is_utf8(printable("\xE2\x80\xFF\x9B", '?')));
}

}  // namespace
}  // namespace lazaret
