#include "base/base64.hpp"

#include <gtest/gtest.h>

namespace lazaret {
namespace {

struct Vector {
  const char* bytes;
  const char* text;
};

// Those of RFC 4648, section 10.
constexpr Vector kVectors[] = {{"", ""},
                               {"f", "Zg=="},
                               {"fo", "Zm8="},
                               {"foo", "Zm9v"},
                               {"foob", "Zm9vYg=="},
                               {"fooba", "Zm9vYmE="},
                               {"foobar", "Zm9vYmFy"}};

std::string every_byte() {
  std::string bytes;
  for (int value = 0; value < 256; ++value) bytes += static_cast<char>(value);
  return bytes;
}

TEST(Base64, HasTheVectorsOfItsStandard) {
  for (const Vector& row : kVectors) {
    EXPECT_EQ(to_base64(row.bytes), row.text);
    EXPECT_EQ(from_base64(row.text), row.bytes);
  }
}

TEST(Base64, BringsBackEveryByteAtEveryPlaceOfAGroup) {
  const std::string bytes = every_byte();
  for (std::size_t from = 0; from < 3; ++from) {
    for (std::size_t size = 0; size <= bytes.size() - from; ++size) {
      const std::string piece = bytes.substr(from, size);
      ASSERT_EQ(from_base64(to_base64(piece)), piece) << from << " " << size;
    }
  }
}

TEST(Base64, BringsBackZeroesAtTheEnd) {
  for (std::size_t size = 0; size < 8; ++size) {
    const std::string zeroes(size, '\0');
    EXPECT_EQ(from_base64(to_base64(zeroes)), zeroes) << size;
  }
}

TEST(Base64, HasThePlusAndTheSlashOfSection4) {
  EXPECT_EQ(to_base64("\xFB\xFF\xBF"), "+/+/");
  EXPECT_EQ(from_base64("+/+/"), "\xFB\xFF\xBF");
}

TEST(Base64, IsRefusedWhenItsLengthIsNoMultipleOfFour) {
  const std::string text = "Zm9vYmFy";
  for (std::size_t size = 1; size < text.size(); ++size)
    EXPECT_EQ(from_base64(text.substr(0, size)).has_value(), size == 4) << size;
  EXPECT_FALSE(from_base64("Zg="));
  EXPECT_FALSE(from_base64("Zg"));
}

TEST(Base64, IsRefusedWithAnyOtherLetter) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (const char letter : every_byte()) {
    for (std::size_t at = 0; at < 3; ++at) {
      std::string text = "AAAA";
      text[at] = letter;
      const bool known = digits.find(letter) != std::string::npos;
      EXPECT_EQ(from_base64(text).has_value(), known) << int{letter} << " " << at;
    }
  }
}

TEST(Base64, IsRefusedWithPaddingAnywhereButAtTheEnd) {
  for (const char* const text : {"====", "A===", "=AAA", "A=AA", "AA=A",
                                 "Zg==Zg==", "Zm8=Zm8=", "Zg==Zm9v", "Zm9v====", "Zm9vZ==="})
    EXPECT_FALSE(from_base64(text)) << text;
}

// Another spelling of the same bytes.
TEST(Base64, IsRefusedWithBitsThatNoByteHas) {
  for (const char* const text : {"Zh==", "Zv==", "Zm9=", "Zm+=", "Zm9vYh==", "AB==", "AAB="})
    EXPECT_FALSE(from_base64(text)) << text;
}

TEST(Base64, IsRefusedWithLinesAndInTheAlphabetOfUrls) {
  for (const char* const text : {"Zm9v\n", "Zm9v\nZm9", "Zm9v\r\nZm", " Zm9", "-_-_"})
    EXPECT_FALSE(from_base64(text)) << text;
}

}  // namespace
}  // namespace lazaret
