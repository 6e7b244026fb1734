#include "core/packing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "soon.hpp"
#include "unit/base/tar_bed.hpp"
#include "unit/core/box_wire.hpp"

namespace lazaret::core {
namespace {

using lazaret::test::told_of_tar;
using runner::Entry;
using lazaret::test::soon;
using runner::Got;
using runner::test::FakeWire;
using testing::ElementsAre;
using testing::HasSubstr;

/// A box that gives what a test says, and the archive that is made of it.
class PackingOfABox : public testing::Test {
 protected:
  void gives(Entry::Kind kind, const std::string& path, const std::string& target = {}) {
    test::say_entry(wire_, kind, path, 0, target);
  }
  void gives_file(const std::string& path, const std::string& content, std::uint64_t size) {
    test::say_file(wire_, path, content, size);
  }
  void gives_file(const std::string& path, const std::string& content) {
    gives_file(path, content, content.size());
  }
  Result<int> pack(Got got = {}) {
    test::say_end(wire_, got);
    return packer_.pack(client_, "d", soon());
  }
  [[nodiscard]] std::string trouble() const {
    return packer_.trouble() ? packer_.trouble()->message() : "";
  }

  std::string archive_;
  std::optional<Error> refusal_;  // of who takes the archive
  FakeWire wire_;
  runner::Client client_{wire_};
  Packer packer_{{5, 1000, 10},
                 [this](const std::string& piece, const Call&) {
                   if (refusal_) return Status(*refusal_);
                   archive_ += piece;
                   return Status();
                 },
                 Call{}};
};

TEST_F(PackingOfABox, HoldsFilesDirectoriesAndLinks) {
  gives(Entry::Kind::directory, "a");
  gives_file("a/f", "text");
  gives(Entry::Kind::directory, "a/b");
  gives(Entry::Kind::link, "a/b/l", "/etc/passwd");
  gives(Entry::Kind::other, "a/fifo");
  gives_file("z", "");
  EXPECT_EQ(pack().value(), 0);
  EXPECT_EQ(trouble(), "");
  EXPECT_THAT(told_of_tar(archive_),
              ElementsAre("directory a 755", "file a/f 644 text", "directory a/b 755",
                          "link a/b/l -> /etc/passwd", "file z 644 "));
}

TEST_F(PackingOfABox, TellsWhyItCannotBeRead) { EXPECT_EQ(pack({2, 0}).value(), 2); }

TEST_F(PackingOfABox, IsNotWholeWhereSomethingWasLeftOutAndHasTheRest) {
  gives_file("a", "text");
  EXPECT_EQ(pack({0, 3}).value(), 0);
  EXPECT_THAT(trouble(), HasSubstr("3 entries cannot be read"));
  EXPECT_THAT(told_of_tar(archive_), ElementsAre("file a 644 text", HasSubstr("error")));
  EXPECT_EQ(archive_.substr(2 * kTarBlock), std::string(kTarBlock, '\xff')) << "no tool's end";
}

TEST_F(PackingOfABox, BelievesNoNameThatLeadsElsewhereOrComesTwice) {
  const auto refused = [](const std::vector<std::pair<Entry::Kind, std::string>>& entries) {
    Packer packer(
        {0, 1000}, [](const std::string&, const Call&) { return Status(); }, Call{});
    for (const auto& [kind, path] : entries) {
      const Status taken =
          packer.entry({kind, false, 0, path, kind == Entry::Kind::link ? "/" : ""});
      if (!taken.ok())
        return taken.error().code() == Errc::protocol && path == entries.back().second;
    }
    return false;
  };
  constexpr auto kDirectory = Entry::Kind::directory, kLink = Entry::Kind::link;
  for (const char* const path : {"../a", "/a", "a/../b", ".", "a//b", "a/b"})
    EXPECT_TRUE(refused({{kDirectory, path}})) << path;
  EXPECT_TRUE(refused({{kLink, "a"}, {kLink, "a/b"}}));
  EXPECT_TRUE(refused({{kLink, "a"}, {kDirectory, "a"}}));
  EXPECT_TRUE(refused({{kDirectory, "a"}, {kLink, "b"}, {kLink, "a/b"}}));
  EXPECT_FALSE(refused({{kDirectory, "a"}, {kLink, "a/b"}, {kLink, "b"}}));
}

TEST_F(PackingOfABox, BelievesNoContentOfWhatIsNoFile) {
  gives(Entry::Kind::directory, "a");
  wire_.say(runner::FrameType::entry_data, "text");
  EXPECT_EQ(pack().error().code(), Errc::protocol);
}

TEST_F(PackingOfABox, TakesAFileThatGrowsAsLongAsItWas) {
  gives_file("a", "more text", 4);
  EXPECT_EQ(pack().value(), 0);
  EXPECT_EQ(trouble(), "");
  EXPECT_THAT(told_of_tar(archive_), ElementsAre("file a 644 more"));
}

TEST_F(PackingOfABox, IsCutWhereAFileHasShrunkAndHasTheRest) {
  gives_file("a", "text");
  gives_file("b", "text", 5);
  gives_file("c", "text");
  EXPECT_EQ(pack().value(), 0);
  EXPECT_THAT(trouble(), HasSubstr("\"b\" could not be read to its end"));
  EXPECT_THAT(told_of_tar(archive_),
              ElementsAre("file a 644 text", "file b 644 text", HasSubstr("too early")));
}

TEST_F(PackingOfABox, TakesAsManyEntriesAsItAsksForAndNotOneMore) {
  for (char name = 'a'; name < 'k'; ++name) gives(Entry::Kind::directory, std::string(1, name));
  EXPECT_EQ(pack().value(), 0);
  EXPECT_EQ(runner::decode_get(bytes_of(wire_.heard().front().payload)).value().most, 10U);
  gives(Entry::Kind::directory, "k");
  EXPECT_EQ(pack().error().code(), Errc::protocol);
}

TEST_F(PackingOfABox, HearsTheBoxOutWhenNobodyTakesTheArchive) {
  refusal_ = Error(Errc::connection_lost, "gone");
  gives_file("a", std::string(500, 'a'));
  gives_file("b", std::string(500, 'b'));
  EXPECT_EQ(pack().value(), 0);
  EXPECT_EQ(trouble(), "gone");
  EXPECT_TRUE(client_.is_in_step());
}

TEST_F(PackingOfABox, TakesAsMuchAsTheBoxCanHoldAndNotOneByteMore) {
  gives_file("a", std::string(1000, 'a'));
  EXPECT_EQ(pack().value(), 0);
  gives_file("b", "b");
  EXPECT_EQ(pack().error().code(), Errc::too_large);
}

}  // namespace
}  // namespace lazaret::core
