#include "backend/docker/tree_tar.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "unit/base/scratch.hpp"

namespace lazaret::backend::docker {
namespace {

namespace fs = std::filesystem;

std::string all_of(TreeTar& tree, std::size_t at_once) {
  std::string all;
  std::vector<std::byte> part(at_once);
  for (;;) {
    const auto count = tree.read(part);
    if (!count.ok()) return count.error().message();
    if (*count == 0) return all;
    all += text_of(Bytes(part).first(*count));
  }
}

std::string entry(const TarHead& head, const std::string& content = "") {
  return *tar_head(head) + content + std::string(tar_padding(content.size()));
}

TEST(TreeTar, HasDirectoriesAndFilesByNameAndTheLastFileLast) {
  const lazaret::test::Scratch folder;
  fs::create_directories(folder.path() / "b/inner");
  const std::string large(1500, 'x'), block(512, 'y');
  folder.write("b/inner/large", large);
  folder.write("a", block);
  folder.write("b/empty", "");
  folder.write("b/program", "z");
  fs::permissions(folder.path() / "b/program", fs::perms::owner_exec, fs::perm_options::add);
  fs::create_symlink("/etc/passwd", folder.path() / "link");
  const std::string wanted = entry({"a", TarKind::file, 0644, 512}, block) +
                             entry({"b", TarKind::directory, 0755}) + entry({"b/empty"}) +
                             entry({"b/inner", TarKind::directory, 0755}) +
                             entry({"b/inner/large", TarKind::file, 0644, 1500}, large) +
                             entry({"b/program", TarKind::file, 0755, 1}, "z") + entry({"last"}) +
                             std::string(tar_end());
  for (const std::size_t at_once : {std::size_t{7}, std::size_t{512}, std::size_t{1} << 16}) {
    auto tree = TreeTar::of(folder.path(), "last");
    ASSERT_TRUE(tree.ok());
    EXPECT_EQ(all_of(*tree, at_once) == wanted, true) << at_once;
  }
}

TEST(TreeTar, OfAnEmptyDirectoryHasTheLastFile) {
  const lazaret::test::Scratch folder;
  auto tree = TreeTar::of(folder.path(), "last");
  ASSERT_TRUE(tree.ok());
  EXPECT_EQ(all_of(*tree, 1000), entry({"last"}) + std::string(tar_end()));
  EXPECT_EQ(TreeTar::of(folder.path() / "none", "last").error().code(), Errc::system);
}

// Half a file is none: the engine's unpacking ends with the error, and the last file is not there.
TEST(TreeTar, FailsForAFileThatHasChanged) {
  const lazaret::test::Scratch folder;
  for (const std::size_t size : {std::size_t{99}, std::size_t{101}}) {
    folder.write("a", std::string(100, 'x'));
    auto tree = TreeTar::of(folder.path(), "last");
    folder.write("a", std::string(size, 'x'));
    EXPECT_NE(all_of(*tree, 64).find("has changed"), std::string::npos);
  }
}

// It would say that all is there before it is.
TEST(TreeTar, IsNoneOfWhatHasTheLastFileAlready) {
  const lazaret::test::Scratch folder;
  folder.write("last", "");
  EXPECT_EQ(TreeTar::of(folder.path(), "last").error().code(), Errc::invalid_argument);
  std::filesystem::remove(folder.path() / "last");
  fs::create_directories(folder.path() / "last/more");
  EXPECT_EQ(TreeTar::of(folder.path(), "last").error().code(), Errc::invalid_argument);
}

}  // namespace
}  // namespace lazaret::backend::docker
