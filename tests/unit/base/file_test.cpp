#include "base/file.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace lazaret {
namespace {

TEST(TextOfFile, IsAllOfIt) {
  const auto path = std::filesystem::temp_directory_path() / "lazaret-text-of-file";
  const std::string text("one\ntwo\0three", 13);
  std::ofstream(path, std::ios::binary) << text;
  EXPECT_EQ(text_of_file(path), text);
  std::filesystem::remove(path);
}

TEST(TextOfFile, IsEmptyWhereThereIsNone) {
  EXPECT_EQ(text_of_file("/no/such/file"), "");
  EXPECT_EQ(text_of_file(std::filesystem::temp_directory_path()), "");
}

}  // namespace
}  // namespace lazaret
