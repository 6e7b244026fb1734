#include "core/collector.hpp"

#include <gtest/gtest.h>

#include "base/utf8.hpp"

namespace lazaret::core {
namespace {

Collector filled(std::uint64_t cap, std::string_view text, std::size_t piece = 1 << 20) {
  Collector collector(cap);
  for (std::size_t at = 0; at < text.size(); at += piece)
    (void)collector.take(bytes_of(text.substr(at, piece)));
  return collector;
}

std::string numbers(std::size_t size) {
  std::string text;
  for (int number = 0; text.size() < size; ++number) text += std::to_string(number) + " ";
  text.resize(size);
  return text;
}

TEST(Collector, IsEmptyAtFirst) {
  const Collector collector(10);
  EXPECT_EQ(collector.text(), "");
  EXPECT_EQ(collector.total_bytes(), 0U);
  EXPECT_FALSE(collector.truncated());
}

TEST(Collector, KeepsAStreamAtTheCapWhole) {
  const Collector collector = filled(10, "0123456789");
  EXPECT_EQ(collector.text(), "0123456789");
  EXPECT_FALSE(collector.truncated());
  EXPECT_EQ(collector.total_bytes(), 10U);
}

TEST(Collector, CutsAStreamOneBytePastTheCapInTheMiddle_P23) {
  const Collector collector = filled(10, "0123456789A");
  EXPECT_EQ(collector.text(), "01234\n[... 1 bytes omitted ...]\n6789A");
  EXPECT_TRUE(collector.truncated());
  EXPECT_EQ(collector.total_bytes(), 11U);
}

TEST(Collector, GivesTheOddByteToTheHead) {
  const Collector collector = filled(5, "abcdefgh");
  EXPECT_EQ(collector.head(), "abc");
  EXPECT_EQ(collector.tail(), "gh");
}

TEST(Collector, KeepsOneByteWithACapOfOne) {
  EXPECT_EQ(filled(1, "a").text(), "a");
  const Collector collector = filled(1, "abc");
  EXPECT_EQ(collector.text(), "a\n[... 2 bytes omitted ...]\n");
  EXPECT_EQ(collector.total_bytes(), 3U);
}

TEST(Collector, KeepsNothingWithACapOfZeroButCounts) {
  EXPECT_FALSE(filled(0, "").truncated());
  const Collector collector = filled(0, "abc");
  EXPECT_EQ(collector.text(), "\n[... 3 bytes omitted ...]\n");
}

TEST(Collector, SaysItAgainUnlessItIsUsedUp) {
  for (const std::uint64_t cap : {200U, 66U, 64U, 32U, 0U}) {
    SCOPED_TRACE(cap);
    Collector collector = filled(cap, numbers(64) + "\xFF");
    const std::string said = collector.text();
    EXPECT_EQ(collector.text(), said);
    EXPECT_EQ(std::move(collector).text(), said);
  }
}

TEST(Collector, KeepsTheSameWhateverTheChunksAre) {
  const std::string text = numbers(1000);
  const std::string whole = filled(64, text).text();
  for (const std::size_t piece : {1UL, 2UL, 31UL, 32UL, 33UL, 63UL, 64UL, 65UL, 999UL}) {
    SCOPED_TRACE(piece);
    EXPECT_EQ(filled(64, text, piece).text(), whole);
  }
}

TEST(Collector, KeepsHeadAndTailAtEveryLength) {
  for (std::size_t size = 0; size < 40; ++size) {
    SCOPED_TRACE(size);
    const std::string text = numbers(size);
    const Collector collector = filled(12, text, 5);
    EXPECT_EQ(collector.head(), text.substr(0, 6));
    EXPECT_EQ(collector.tail(), size <= 6 ? ""
                                          : text.substr(std::max<std::size_t>(
                                                6, size - std::min<std::size_t>(size, 6))));
    EXPECT_EQ(collector.truncated(), size > 12);
  }
}

TEST(Collector, SaysHowMuchOfEachChunkWentIntoTheHead) {
  Collector collector(10);
  EXPECT_EQ(collector.take(bytes_of("abc")), 3U);
  EXPECT_EQ(collector.take(bytes_of("defg")), 2U);
  EXPECT_EQ(collector.take(bytes_of("hi")), 0U);
  EXPECT_EQ(collector.head_bytes(), 5U);
}

TEST(Collector, CountsAHugeStreamExactlyAndHoldsNoMoreThanItsCap_P24) {
  Collector collector(1000);
  const std::string chunk(1 << 20, 'x');
  for (int index = 0; index < 512; ++index) (void)collector.take(bytes_of(chunk));
  (void)collector.take(bytes_of("end"));
  EXPECT_EQ(collector.total_bytes(), (512ULL << 20) + 3);
  EXPECT_EQ(collector.head().size() + collector.tail().size(), 1000U);
  EXPECT_TRUE(collector.tail().ends_with("xend"));
}

TEST(Collector, CutsBetweenCharactersAtEveryOffset_P23) {
  std::string text;
  for (int index = 0; index < 20; ++index) text += "\xF0\x9F\x98\x80";
  for (std::uint64_t cap = 0; cap < 40; ++cap) {
    SCOPED_TRACE(cap);
    const std::string cut = filled(cap, text, 3).text();
    EXPECT_TRUE(is_utf8(cut));
    EXPECT_EQ(cut.find("\xEF\xBF\xBD"), std::string::npos);
  }
}

TEST(Collector, CountsTheBytesOfCutCharactersAsOmitted) {
  // Four bytes of head and tail each: one character and one byte that is no whole one.
  const std::string text = "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC";
  EXPECT_EQ(filled(8, text).text(), "\xE2\x82\xAC\n[... 6 bytes omitted ...]\n\xE2\x82\xAC");
}

TEST(Collector, ReplacesIllFormedBytes) {
  EXPECT_EQ(filled(10, "a\xFFz").text(), "a\xEF\xBF\xBDz");
  EXPECT_EQ(filled(10, "\xC3").text(), "\xEF\xBF\xBD");
}

TEST(Collector, DoesNotSplitACharacterWhenNothingIsMissing) {
  // The character lies across the border of head and tail.
  EXPECT_EQ(filled(4, "a\xE2\x82\xAC").text(), "a\xE2\x82\xAC");
}

}  // namespace
}  // namespace lazaret::core
