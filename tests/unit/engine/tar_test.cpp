#include "engine/tar.hpp"

#include <gtest/gtest.h>

namespace lazaret::engine {
namespace {

TarEntry file(const std::string& path, const std::string& content) {
  return {.path = path, .content = content};
}

std::string field(const std::string& tar, std::size_t at, std::size_t width) {
  return tar.substr(at, tar.substr(at, width).find('\0'));
}

TEST(EngineTar, HoldsHeaderContentPaddingAndTwoEmptyBlocks) {
  const auto tar = write_tar({{.path = "d/run", .mode = 0755, .content = "#!"}});
  ASSERT_TRUE(tar.ok());
  EXPECT_EQ(tar->size(), 512U + 512U + 1024U);
  EXPECT_EQ(field(*tar, 0, 100), "d/run");
  EXPECT_EQ(field(*tar, 100, 8), "0000755");
  EXPECT_EQ(field(*tar, 124, 12), "00000000002");
  EXPECT_EQ(tar->at(156), '0');
  EXPECT_EQ(tar->substr(257, 8), std::string("ustar\00000", 8));
  EXPECT_EQ(tar->substr(512, 3), std::string("#!\0", 3));
  EXPECT_EQ(tar->substr(1024), std::string(1024, '\0'));
}

TEST(EngineTar, ChecksumIsTheSumOfTheHeaderWithItsFieldBlank) {
  std::string tar = *write_tar({file("a", "x")});
  const std::string written = field(tar, 148, 8);
  tar.replace(148, 8, 8, ' ');
  unsigned sum = 0;
  for (std::size_t at = 0; at < 512; ++at) sum += static_cast<unsigned char>(tar[at]);
  EXPECT_EQ(std::stoul(written, nullptr, 8), sum);
}

TEST(EngineTar, GivesDirectoriesNoContent) {
  const auto tar =
      write_tar({{.path = "d", .mode = 0755, .content = "x", .kind = TarKind::directory}});
  EXPECT_EQ(tar->size(), 512U + 1024U);
  EXPECT_EQ(tar->at(156), '5');
}

TEST(EngineTar, IsTheSameForTheSameEntries) {
  EXPECT_EQ(*write_tar({file("a", "b")}), *write_tar({file("a", "b")}));
}

TEST(EngineTar, RefusesToWriteAPathThatLeaves) {
  for (const char* path : {"/a", "../a"}) EXPECT_FALSE(write_tar({file(path, "")}).ok()) << path;
}

TEST(EngineTar, NeverCarriesASetuidBit) {
  const auto tar = write_tar({{.path = "a", .mode = 06755, .content = ""}});
  EXPECT_EQ(field(*tar, 100, 8), "0000755");
}

}  // namespace
}  // namespace lazaret::engine
