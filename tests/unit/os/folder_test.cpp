#include "os/folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "unit/base/scratch.hpp"

namespace lazaret::os {
namespace {

namespace fs = std::filesystem;
using Kind = Folder::Item::Kind;

const std::string kNoNames[] = {"", ".", "..", "a/b", "/", "/etc", "a/", std::string("a\0b", 3)};

/// A folder beside which something lies that must not be reached: a directory and a file.
class Folders : public testing::Test {
 protected:
  Folders() {
    fs::create_directories(scratch_.at("in"));
    scratch_.write("out/secret", "secret");
    fs::create_symlink("../out", path("to_directory"));
    fs::create_symlink("../out/secret", path("to_file"));
    fs::create_symlink("../out/absent", path("to_nothing"));
  }
  [[nodiscard]] fs::path path(const std::string& name) const { return scratch_.at("in") / name; }
  [[nodiscard]] Folder folder() const { return Folder::at(scratch_.at("in")).value(); }
  [[nodiscard]] std::map<std::string, Folder::Item> items() const {
    std::map<std::string, Folder::Item> found;
    Folder read = folder();
    for (auto item = read.next().value(); item; item = read.next().value())
      found[item->name] = *item;
    return found;
  }
  void expect_nothing_was_done_outside() const {
    EXPECT_EQ(text_of_file(scratch_.at("out/secret")), "secret");
    EXPECT_EQ(std::distance(fs::directory_iterator(scratch_.at("out")), {}), 1);
  }

  test::Scratch scratch_;
};

const char* const kLinks[] = {"to_directory", "to_file", "to_nothing"};

TEST_F(Folders, AreOpenedByTheirWholePath) {
  EXPECT_TRUE(Folder::at(scratch_.path()).ok());
  EXPECT_EQ(Folder::at(scratch_.at("absent")).error().os_error(), ENOENT);
  EXPECT_EQ(Folder::at(scratch_.at("out/secret")).error().os_error(), ENOTDIR);
  for (const char* const link : kLinks) EXPECT_FALSE(Folder::at(path(link)).ok()) << link;
}

TEST_F(Folders, TakeSingleNamesOnly) {
  fs::create_directories(path("a"));
  for (const std::string& name : kNoNames) {
    SCOPED_TRACE(name);
    EXPECT_EQ(folder().in(name).error().os_error(), EINVAL);
    EXPECT_EQ(folder().made_in(name).error().os_error(), EINVAL);
    EXPECT_EQ(folder().create(name, false).error().os_error(), EINVAL);
    EXPECT_EQ(folder().open(name).error().os_error(), EINVAL);
    EXPECT_EQ(folder().link(name, "target").error().os_error(), EINVAL);
    EXPECT_EQ(folder().target_of(name).error().os_error(), EINVAL);
  }
  EXPECT_TRUE(fs::is_empty(path("a")));
}

TEST_F(Folders, AreOpenedInEachOther) {
  fs::create_directories(path("a/b"));
  const Folder inner = folder().in("a").value();
  EXPECT_TRUE(inner.in("b").ok());
  EXPECT_EQ(inner.in("c").error().os_error(), ENOENT);
}

TEST_F(Folders, FollowNoLink) {
  for (const char* const link : kLinks) {
    SCOPED_TRACE(link);
    EXPECT_FALSE(folder().in(link).ok());
    EXPECT_FALSE(folder().made_in(link).ok());
    EXPECT_FALSE(folder().open(link).ok());
    EXPECT_EQ(folder().create(link, false).error().os_error(), EEXIST);
    EXPECT_EQ(folder().link(link, "other").error().os_error(), EEXIST);
    EXPECT_TRUE(fs::is_symlink(path(link)));
  }
  expect_nothing_was_done_outside();
}

TEST_F(Folders, AreMadeWhereNothingIs) {
  const Folder made = folder().made_in("new").value();
  ASSERT_TRUE(made.create("file", false).ok());
  EXPECT_TRUE(fs::exists(path("new/file")));
  EXPECT_TRUE(folder().made_in("new").value().open("file").ok());
}

TEST_F(Folders, AreNotMadeInTheirWay) {
  scratch_.write("in/file", "text");
  EXPECT_EQ(folder().made_in("file").error().os_error(), ENOTDIR);
  EXPECT_EQ(text_of_file(path("file")), "text");
}

TEST_F(Folders, CreateFilesToBeWrittenTo) {
  const Handle file = folder().create("file", false).value();
  EXPECT_EQ(::write(file.get(), "text", 4), 4);
  EXPECT_EQ(text_of_file(path("file")), "text");
  const fs::perms mode = fs::status(path("file")).permissions();
  EXPECT_EQ(mode & fs::perms::owner_all, fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Folders, CreateProgramsThatOthersDoNotWrite) {
  ASSERT_TRUE(folder().create("program", true).ok());
  const fs::perms mode = fs::status(path("program")).permissions();
  EXPECT_EQ(mode & fs::perms::owner_all, fs::perms::owner_all);
  EXPECT_EQ(mode & (fs::perms::group_write | fs::perms::others_write), fs::perms::none);
}

TEST_F(Folders, ReplaceNothing) {
  scratch_.write("in/file", "text");
  fs::create_directories(path("directory"));
  for (const char* const name : {"file", "directory"}) {
    EXPECT_EQ(folder().create(name, false).error().os_error(), EEXIST) << name;
    EXPECT_EQ(folder().link(name, "target").error().os_error(), EEXIST) << name;
  }
  EXPECT_EQ(text_of_file(path("file")), "text");
}

TEST_F(Folders, OpenFilesToBeReadFromAPlaceAndWrittenToAtTheirEnd) {
  scratch_.write("in/file", "text");
  std::array<std::byte, 8> read{};
  EXPECT_EQ(::read(folder().open("file", 3)->get(), read.data(), read.size()), 1);
  EXPECT_EQ(read[0], std::byte{'t'});
  EXPECT_EQ(::read(folder().open("file", 1ULL << 40)->get(), read.data(), read.size()), 0);
  EXPECT_EQ(folder().open("file", UINT64_MAX).error().os_error(), EINVAL);
  const Handle end = folder().append("file").value();
  EXPECT_EQ(::write(end.get(), "s!", 2), 2);
  EXPECT_EQ(text_of_file(path("file")), "texts!");
  EXPECT_EQ(folder().append("absent").error().os_error(), ENOENT);
  EXPECT_EQ(folder().append("to_file").error().os_error(), ELOOP);
  expect_nothing_was_done_outside();
}

TEST_F(Folders, RemoveDirectoriesWithNothingInThem) {
  fs::create_directories(path("empty"));
  scratch_.write("in/full/file", "text");
  EXPECT_TRUE(folder().remove_empty("empty").ok());
  EXPECT_FALSE(fs::exists(path("empty")));
  EXPECT_EQ(folder().remove_empty("full").error().os_error(), ENOTEMPTY);
  EXPECT_EQ(folder().remove_empty("empty").error().os_error(), ENOENT);
  for (const char* const name : kLinks)
    EXPECT_EQ(folder().remove_empty(name).error().os_error(), ENOTDIR) << name;
  expect_nothing_was_done_outside();
}

TEST_F(Folders, MoveWhatTheyHaveAndReplaceNothing) {
  scratch_.write("in/file", "text");
  scratch_.write("in/other", "kept");
  fs::create_directories(path("directory"));
  const Folder directory = folder().in("directory").value();
  EXPECT_EQ(folder().move("file", folder(), "other").error().os_error(), EEXIST);
  EXPECT_EQ(text_of_file(path("other")), "kept");
  ASSERT_TRUE(folder().move("file", directory, "moved").ok());
  EXPECT_EQ(text_of_file(path("directory/moved")), "text");
  EXPECT_EQ(folder().move("file", directory, "again").error().os_error(), ENOENT);
  EXPECT_EQ(folder().move("other", folder(), "to_file").error().os_error(), EEXIST);
  ASSERT_TRUE(folder().move("to_directory", directory, "link").ok());
  EXPECT_TRUE(fs::is_symlink(path("directory/link")));
  expect_nothing_was_done_outside();
}

TEST_F(Folders, UnlockDirectoriesAndNothingElse) {
  fs::create_directories(path("locked/in"));
  fs::permissions(path("locked"), fs::perms::none);
  const auto unlocked = folder().unlocked("locked");
  ASSERT_TRUE(unlocked.ok());
  EXPECT_EQ(fs::status(path("locked")).permissions(), fs::perms::owner_all);
  EXPECT_EQ(unlocked->item("in")->kind, Kind::directory);
  EXPECT_EQ(unlocked->in("in")->parent()->item("in")->kind, Kind::directory);
  const auto before = fs::status(scratch_.at("out")).permissions();
  for (const char* const name : kLinks)
    EXPECT_EQ(folder().unlocked(name).error().os_error(), ENOTDIR) << name;
  EXPECT_EQ(fs::status(scratch_.at("out")).permissions(), before);
}

TEST_F(Folders, SayWhatHasAName) {
  scratch_.write("in/file", "text");
  EXPECT_EQ(folder().item("file")->kind, Kind::file);
  EXPECT_EQ(folder().item("file")->size, 4U);
  EXPECT_EQ(folder().item("to_directory")->kind, Kind::link);
  EXPECT_EQ(folder().item("absent").error().os_error(), ENOENT);
}

TEST_F(Folders, OpenFilesToBeReadFrom) {
  scratch_.write("in/file", "text");
  const Handle file = folder().open("file").value();
  char letter = 0;
  EXPECT_EQ(::read(file.get(), &letter, 1), 1);
  EXPECT_EQ(letter, 't');
  EXPECT_LT(::write(file.get(), "x", 1), 0);
  EXPECT_EQ(folder().open("absent").error().os_error(), ENOENT);
}

// Nobody writes to the fifo: opening it as a file is opened would wait for ever.
TEST_F(Folders, OpenNothingButFilesAndDoNotWait) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  fs::create_directories(path("directory"));
  EXPECT_EQ(folder().open("fifo").error().os_error(), EINVAL);
  EXPECT_EQ(folder().open("directory").error().os_error(), EINVAL);
  EXPECT_EQ(folder().in("fifo").error().os_error(), ENOTDIR);
  EXPECT_EQ(folder().create("fifo", false).error().os_error(), EEXIST);
}

TEST_F(Folders, LinkToAnyWords) {
  for (const std::string& target : {std::string("a"), std::string("../.."), std::string("/etc"),
                                    std::string("a\nb"), std::string(4095, 't')}) {
    ASSERT_TRUE(folder().link("link", target).ok()) << target.size();
    EXPECT_EQ(folder().target_of("link").value(), target);
    fs::remove(path("link"));
  }
  EXPECT_FALSE(folder().link("link", std::string(4096, 't')).ok());
}

TEST_F(Folders, KnowTheTargetsOfLinksOnly) {
  scratch_.write("in/file", "text");
  EXPECT_EQ(folder().target_of("to_nothing").value(), "../out/absent");
  EXPECT_EQ(folder().target_of("file").error().os_error(), EINVAL);
  EXPECT_EQ(folder().target_of("absent").error().os_error(), ENOENT);
}

TEST_F(Folders, SayWhatLiesInThem) {
  scratch_.write("in/file", "text");
  scratch_.write("in/program", "");
  fs::permissions(path("program"), fs::perms::owner_all);
  fs::create_directories(path("directory"));
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0700), 0);
  const auto found = items();
  EXPECT_EQ(found.size(), 4U + std::size(kLinks));
  EXPECT_EQ(found.at("file").kind, Kind::file);
  EXPECT_EQ(found.at("file").size, 4U);
  EXPECT_FALSE(found.at("file").executable);
  EXPECT_TRUE(found.at("program").executable);
  EXPECT_EQ(found.at("directory").kind, Kind::directory);
  EXPECT_EQ(found.at("directory").size, 0U);
  EXPECT_EQ(found.at("fifo").kind, Kind::other);
  EXPECT_FALSE(found.at("fifo").executable);
  for (const char* const link : kLinks) EXPECT_EQ(found.at(link).kind, Kind::link) << link;
}

TEST_F(Folders, GiveEveryName) {
  std::set<std::string> names = {
      ".hidden", "...", "a b", "line\nbreak", "\xFF", "-", std::string(255, 'n')};
  for (int index = 0; index < 3000; ++index) names.insert(std::to_string(index));
  for (const std::string& name : names) scratch_.write("in/" + name, "");
  const auto found = items();
  EXPECT_EQ(found.size(), names.size() + std::size(kLinks));
  for (const std::string& name : names) EXPECT_TRUE(found.contains(name)) << name;
}

TEST_F(Folders, StayAtTheirEnd) {
  fs::create_directories(path("empty"));
  Folder empty = folder().in("empty").value();
  EXPECT_FALSE(empty.next().value().has_value());
  EXPECT_FALSE(empty.next().value().has_value());
}

TEST_F(Folders, GoOnWhereTheyWereWhenMoved) {
  Folder first = folder();
  std::size_t count = first.next().value() ? 1 : 0;
  Folder second = std::move(first);
  while (second.next().value()) ++count;
  EXPECT_EQ(count, std::size(kLinks));
}

}  // namespace
}  // namespace lazaret::os
