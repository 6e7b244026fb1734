#include "core/held_inputs.hpp"

#include <sys/stat.h>

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tar_reader.hpp"
#include "unit/base/scratch.hpp"

namespace lazaret::core {
namespace {

namespace fs = std::filesystem;
using testing::UnorderedElementsAre;

Input source(const fs::path& place, std::string path) {
  return {std::move(path), "", place.string(), false};
}

TEST(HeldBy, HasWhatFilesHoldUpToALimit) {
  const lazaret::test::Scratch scratch;
  const fs::path file = scratch.write("a", "123"), program = scratch.write("b", "#!");
  ::chmod(program.c_str(), 0755);
  const std::vector<Input> given = {
      {"t", "text", {}, true}, source(file, "x/a"), source(program, "b")};
  const auto held = held_by(given, 9);
  ASSERT_TRUE(held);
  const std::vector<std::string> contents = {"text", "123", "#!"};
  for (std::size_t at = 0; at < contents.size(); ++at) {
    EXPECT_EQ((*held)[at].content, contents[at]);
    EXPECT_EQ((*held)[at].path, given[at].path);
    EXPECT_EQ((*held)[at].executable, at != 1);
    EXPECT_FALSE((*held)[at].source);
  }
  EXPECT_FALSE(held_by(given, 8));
}

TEST(HeldBy, HasNothingOfWhatIsNoFileOrCannotBeRead) {
  const lazaret::test::Scratch scratch;
  ::mkfifo(scratch.at("pipe").c_str(), 0644);
  for (const fs::path& place : {scratch.at("pipe"), scratch.at("absent"),
                                 fs::path("/proc/version"), fs::path("/dev/null")})
    EXPECT_FALSE(held_by({source(place, "a")}, 100)) << place;
}

// What is in an archive, a line for each entry.
std::vector<std::string> lines_of(const std::string& archive) {
  bool given = false;
  TarReader reader([&]() -> Result<std::string> {
    return std::exchange(given, true) ? std::string() : archive;
  });
  std::vector<std::string> lines;
  for (;;) {
    const auto head = reader.next();
    if (!head.ok() || !*head) return lines;
    std::string line = (*head)->path + " " + ((*head)->mode & 0100U ? "x" : "-") + (*head)->target;
    for (;;) {
      const auto some = reader.content();
      if (!some.ok() || some->empty()) break;
      line += " " + std::string(text_of(*some));
    }
    lines.push_back(std::move(line));
  }
}

TEST(HeldBy, HasDirectoriesAsArchives) {
  const lazaret::test::Scratch scratch;
  scratch.write("in/d/f", "text");
  ::chmod(scratch.write("in/run", "#!").c_str(), 0755);
  scratch.write("in/\xff", "");
  fs::create_directories(scratch.at("in/none"));
  fs::create_symlink("d/f", scratch.at("in/link"));
  const auto held = held_by({source(scratch.at("in"), ".")}, 1 << 20);
  ASSERT_TRUE(held);
  EXPECT_TRUE(held->front().is_archive);
  EXPECT_FALSE(held->front().source);
  EXPECT_EQ(held->front().path, ".");
  EXPECT_THAT(lines_of(held->front().content),
              UnorderedElementsAre("d -", "d/f - text", "run x #!", "\xff -", "none -",
                                   "link -d/f"));
  const std::size_t all = held->front().content.size();
  EXPECT_TRUE(held_by({source(scratch.at("in"), ".")}, all));
  EXPECT_FALSE(held_by({source(scratch.at("in"), ".")}, all - 1));
}

TEST(HeldBy, HasNoDirectoryThatCannotBePut) {
  const lazaret::test::Scratch scratch;
  const auto is_held = [&] {
    return held_by({source(scratch.at("in"), "a")}, 1 << 20).has_value();
  };
  EXPECT_FALSE(is_held());
  scratch.write("in/f", "text");
  EXPECT_TRUE(is_held());
  for (const char* const target : {"../out", "/etc/passwd"}) {
    fs::create_symlink(target, scratch.at("in/link"));
    EXPECT_FALSE(is_held()) << target;
    fs::remove(scratch.at("in/link"));
  }
  ASSERT_EQ(::mkfifo(scratch.at("in/fifo").c_str(), 0644), 0);
  EXPECT_FALSE(is_held());
}

}  // namespace
}  // namespace lazaret::core
