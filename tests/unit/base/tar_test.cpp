#include "base/tar.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/base/tar_bed.hpp"

namespace lazaret {
namespace {

using test::tar_entry;
using test::tar_file;
using test::tar_of;
using test::told_of_tar;
using testing::ElementsAre;

std::string tar_field(const std::string& tar, tar::Field field) {
  const std::string text = tar.substr(field.at, field.width);
  return text.substr(0, text.find('\0'));
}

// Two names with as many letters in them.
std::string path_with(std::size_t first, std::size_t second) {
  return std::string(first, 'd') + "/" + std::string(second, 'n');
}

TEST(Tar, HasANumberOfDigitsAndASum) {
  const std::string head = *tar_head({.path = "d/run", .mode = 0755, .size = 9, .time = 8});
  EXPECT_EQ(head.size(), 512U);
  EXPECT_EQ(tar_field(head, tar::kName), "d/run");
  EXPECT_EQ(tar_field(head, tar::kMode), "0000755");
  EXPECT_EQ(tar_field(head, tar::kSize), "00000000011");
  EXPECT_EQ(tar_field(head, tar::kTime), "00000000010");
  EXPECT_EQ(std::stoul(tar_field(head, tar::kChecksum), nullptr, 8), tar::checksum_of(head));
}

TEST(Tar, PutsANameOfAHundredBytesIntoItsField) {
  const std::string head = *tar_head({.path = std::string(100, 'n')});
  EXPECT_EQ(head.size(), 512U);
  EXPECT_EQ(head.substr(0, 100), std::string(100, 'n'));
  EXPECT_EQ(tar_field(head, tar::kPrefix), "");
}

TEST(Tar, CutsALongerPathInTwoWhereThatFits) {
  const std::string head = *tar_head({.path = path_with(155, 100)});
  EXPECT_EQ(head.size(), 512U);
  EXPECT_EQ(head.substr(0, 100), std::string(100, 'n'));
  EXPECT_EQ(tar_field(head, tar::kPrefix), std::string(155, 'd'));
}

TEST(Tar, WritesAnExtendedHeaderForAPathThatFitsNowhere) {
  for (const std::string& path : {std::string(101, 'n'), path_with(156, 3), path_with(3, 101)}) {
    EXPECT_EQ(tar_head({.path = path})->size(), 3 * 512U) << path;
    EXPECT_THAT(told_of_tar(tar_of(tar_file(path, "x"))), ElementsAre("file " + path + " 644 x"));
  }
}

TEST(Tar, CountsTheDigitsOfARecordsLength) {
  for (std::size_t size = 101; size < 1100; ++size) {
    const std::string path(size, 'n');
    ASSERT_THAT(told_of_tar(tar_of(tar_file(path, ""))), ElementsAre("file " + path + " 644 "));
  }
}

TEST(Tar, TakesAnyBytesInANameButNul) {
  const std::string name = "new\nline \xc3\xa9 \xff \\ \"";
  EXPECT_THAT(told_of_tar(tar_of(tar_file(name, "x"))), ElementsAre("file " + name + " 644 x"));
  const std::string longer = name + std::string(200, 'n');
  const std::string blocks = tar_file(longer, "x");
  EXPECT_NE(blocks.find("21 hdrcharset=BINARY\n"), blocks.npos);
  EXPECT_THAT(told_of_tar(tar_of(blocks)), ElementsAre("file " + longer + " 644 x"));
  EXPECT_FALSE(tar_head({.path = std::string("a\0b", 3)}).ok());
}

TEST(Tar, WritesTheSizeOfAFileOf8GiBIntoTheExtendedHeader) {
  constexpr std::uint64_t kMost = (8ULL << 30) - 1;
  EXPECT_EQ(tar_field(*tar_head({.path = "a", .size = kMost}), tar::kSize), "77777777777");
  const std::string head = *tar_head({.path = "a", .size = kMost + 1});
  EXPECT_EQ(head.size(), 3 * 512U);
  EXPECT_NE(head.find("19 size=8589934592\n"), head.npos);
}

TEST(Tar, KeepsTheTargetOfALink) {
  for (const std::string& target :
       {std::string("../b"), std::string(100, 't'), std::string(101, 't'), std::string(4095, 't')})
    EXPECT_THAT(
        told_of_tar(tar_of(tar_entry({.path = "l", .kind = TarKind::link, .target = target}))),
        ElementsAre("link l -> " + target));
  EXPECT_FALSE(tar_head({.path = "l", .kind = TarKind::link}).ok());
  EXPECT_FALSE(
      tar_head({.path = "l", .kind = TarKind::link, .target = std::string(4096, 't')}).ok());
}

TEST(Tar, RefusesToWriteAPathThatLeaves) {
  for (const char* path : {"", "/a", "../a", "a/../b", "a//b", ".", "a/.", "a/", "./a"})
    EXPECT_FALSE(tar_head({.path = path}).ok()) << path;
  EXPECT_TRUE(tar_head({.path = std::string(4095, 'n')}).ok());
  EXPECT_FALSE(tar_head({.path = std::string(4096, 'n')}).ok());
}

TEST(Tar, CleansAPathOfWhatNamesNothing) {
  EXPECT_EQ(*clean_tar_path("./a//b/./c/"), "a/b/c");
  EXPECT_EQ(*clean_tar_path("./"), ".");
  EXPECT_EQ(*clean_tar_path("..a/b.."), "..a/b..");
  for (const char* path : {"", "/", "/a", "..", "a/..", "a/../b", "./../a"})
    EXPECT_FALSE(clean_tar_path(path).ok()) << path;
}

}  // namespace
}  // namespace lazaret
