#include "engine/tar.hpp"

#include <gtest/gtest.h>

namespace lazaret::engine {
namespace {

class EngineTar : public testing::Test {
 protected:
  void SetUp() override {
    const auto empty = write_tar({});
    if (!empty.ok() && empty.error().code() == Errc::unsupported) {
      GTEST_SKIP() << "this build has no libarchive";
    }
  }
};

TarEntry file(const std::string& path, const std::string& content) {
  return {.path = path, .content = content};
}

// The name field of the first header, changed as a hostile engine would, with its checksum.
std::string renamed(std::string tar, const std::string& name) {
  tar.replace(0, 100, name + std::string(100 - name.size(), '\0'));
  tar.replace(148, 8, 8, ' ');
  unsigned sum = 0;
  for (std::size_t at = 0; at < 512; ++at) sum += static_cast<unsigned char>(tar[at]);
  std::string digits = "000000";
  for (int at = 5; at >= 0; --at, sum /= 8) {
    digits[static_cast<std::size_t>(at)] = static_cast<char>('0' + sum % 8);
  }
  return tar.replace(148, 8, digits + std::string("\0 ", 2));
}

TEST_F(EngineTar, GivesBackWhatWasPutIn) {
  const std::string long_name = std::string(180, 'n') + "/caf\xc3\xa9";
  const auto tar = write_tar({{.path = "d", .mode = 0755, .kind = TarKind::directory},
                              {.path = "d/run", .mode = 0755, .content = "#!"},
                              file(long_name, std::string(100'000, 'x'))});
  ASSERT_TRUE(tar.ok()) << tar.error().message();
  const auto entries = read_tar(bytes_of(*tar), {});
  ASSERT_TRUE(entries.ok()) << entries.error().message();
  ASSERT_EQ(entries->size(), 3U);
  EXPECT_EQ(entries->at(0).kind, TarKind::directory);
  EXPECT_EQ(entries->at(0).path, "d");
  EXPECT_EQ(entries->at(1).mode, 0755U);
  EXPECT_EQ(entries->at(1).content, "#!");
  EXPECT_EQ(entries->at(2).path, long_name);
  EXPECT_EQ(entries->at(2).content.size(), 100'000U);
}

TEST_F(EngineTar, IsTheSameForTheSameEntries) {
  EXPECT_EQ(*write_tar({file("a", "b")}), *write_tar({file("a", "b")}));
}

TEST_F(EngineTar, RefusesToWriteAPathThatLeaves) {
  for (const char* path : {"", "/a", "../a", "a/../b", "a//b", ".", "a/."}) {
    EXPECT_FALSE(write_tar({file(path, "")}).ok()) << path;
  }
  EXPECT_FALSE(write_tar({file(std::string("a\0b", 3), "")}).ok());
}

TEST_F(EngineTar, RefusesToReadAPathThatClimbsOut) {
  const auto entries = read_tar(bytes_of(renamed(*write_tar({file("a", "x")}), "../a")), {});
  ASSERT_FALSE(entries.ok());
  EXPECT_EQ(entries.error().code(), Errc::protocol);
}

TEST_F(EngineTar, ReadsPodmansLeadingSlashAsRelative) {
  const auto entries = read_tar(bytes_of(renamed(*write_tar({file("a", "x")}), "/v/a")), {});
  ASSERT_TRUE(entries.ok()) << entries.error().message();
  EXPECT_EQ(entries->at(0).path, "v/a");
}

TEST_F(EngineTar, NeverCarriesASetuidBit) {
  const auto tar = write_tar({{.path = "a", .mode = 06755, .content = ""}});
  EXPECT_EQ(read_tar(bytes_of(*tar), {})->at(0).mode, 0755U);
}

TEST_F(EngineTar, ReadsUpToTheCapAndNotOneByteMore) {
  const auto tar = write_tar({file("a", std::string(600, 'x')), file("b", std::string(400, 'x'))});
  EXPECT_TRUE(read_tar(bytes_of(*tar), {.total_bytes = 1000}).ok());
  const auto refused = read_tar(bytes_of(*tar), {.total_bytes = 999});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), Errc::too_large);
}

TEST_F(EngineTar, ReadsUpToSoManyEntriesAndNotOneMore) {
  const auto tar = write_tar({file("a", ""), file("b", "")});
  EXPECT_TRUE(read_tar(bytes_of(*tar), {.entries = 2}).ok());
  EXPECT_EQ(read_tar(bytes_of(*tar), {.entries = 1}).error().code(), Errc::too_large);
}

TEST_F(EngineTar, RefusesWhatIsNotATar) {
  const std::string noise(2000, 'q');
  const auto entries = read_tar(bytes_of(noise), {});
  ASSERT_FALSE(entries.ok());
  EXPECT_EQ(entries.error().code(), Errc::protocol);
}

TEST_F(EngineTar, RefusesOneThatEndsInTheMiddle) {
  const auto tar = write_tar({file("a", std::string(5000, 'x'))});
  EXPECT_FALSE(read_tar(bytes_of(*tar).first(1024), {}).ok());
}

}  // namespace
}  // namespace lazaret::engine
