#include "core/artifacts.hpp"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "unit/base/scratch.hpp"

namespace lazaret::core {
namespace {

namespace fs = std::filesystem;
using runner::Entry;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr std::uint64_t kPlenty = 1ULL << 40;
constexpr std::size_t kPiece = 64UL << 10;

Entry file(std::string path, std::uint64_t size = 0) {
  return {Entry::Kind::file, false, size, std::move(path), {}};
}
Entry directory(std::string path) {
  return {Entry::Kind::directory, false, 0, std::move(path), {}};
}
Entry link(std::string path) {
  return {Entry::Kind::link, false, 0, std::move(path), "/etc/passwd"};
}
Entry other(std::string path) { return {Entry::Kind::other, false, 0, std::move(path), {}}; }

// A file with this content and its end.
Status give(ArtifactTaker& taker, const Entry& entry, std::string_view text) {
  if (Status taken = taker.entry(entry); !taken.ok()) return taken;
  for (; !text.empty(); text.remove_prefix(std::min(kPiece, text.size()))) {
    if (Status taken = taker.content(bytes_of(text.substr(0, kPiece))); !taken.ok()) return taken;
  }
  return taker.content({});
}

std::vector<std::string> paths_of(const std::vector<Artifact>& artifacts) {
  std::vector<std::string> paths;
  for (const Artifact& artifact : artifacts) paths.push_back(artifact.path);
  return paths;
}

/// Takers that keep contents in memory, write into the scratch directory, or only list.
class Artifacts : public testing::Test {
 protected:
  ArtifactTaker writing(bool with_content = false) const {
    return ArtifactTaker({scratch_.path(), with_content, kPlenty});
  }
  static ArtifactTaker keeping(std::uint64_t most_bytes = kPlenty) {
    return ArtifactTaker({{}, true, most_bytes});
  }
  static ArtifactTaker listing() { return ArtifactTaker({{}, false, kPlenty}); }
  [[nodiscard]] std::size_t written() const {
    return static_cast<std::size_t>(
        std::distance(fs::recursive_directory_iterator(scratch_.path()), {}));
  }

  test::Scratch scratch_;
};

TEST_F(Artifacts, AreSaidByPathWithWhatTheyAre) {
  ArtifactTaker taker = keeping();
  EXPECT_TRUE(give(taker, file("z.csv"), "a,b").ok());
  EXPECT_TRUE(taker.entry(directory("d")).ok());
  EXPECT_TRUE(give(taker, file("d/data"), "x").ok());
  EXPECT_TRUE(taker.entry(link("link")).ok());
  EXPECT_TRUE(taker.entry(other("fifo")).ok());
  const auto artifacts = std::move(taker).artifacts();
  EXPECT_THAT(paths_of(artifacts), ElementsAre("d", "d/data", "fifo", "link", "z.csv"));
  EXPECT_EQ(artifacts[0].kind, Artifact::Kind::directory);
  EXPECT_EQ(artifacts[0].media_type, "");
  EXPECT_EQ(artifacts[1].media_type, "application/octet-stream");
  EXPECT_EQ(artifacts[2].kind, Artifact::Kind::other);
  EXPECT_EQ(artifacts[3].kind, Artifact::Kind::link);
  EXPECT_EQ(artifacts[3].content, std::nullopt);
  EXPECT_EQ(artifacts[4].media_type, "text/csv");
  EXPECT_EQ(artifacts[4].content, "a,b");
}

TEST_F(Artifacts, AreOnlyListedWhereNobodyWantsTheirContent) {
  ArtifactTaker taker = listing();
  EXPECT_TRUE(taker.entry(file("a", 7)).ok());
  EXPECT_TRUE(taker.entry(file("b", 8)).ok());
  EXPECT_EQ(taker.content(bytes_of("x")).error().code(), Errc::protocol);
  EXPECT_TRUE(taker.warnings().empty());
  const auto artifacts = std::move(taker).artifacts();
  ASSERT_THAT(artifacts, SizeIs(2));
  EXPECT_EQ(artifacts[0].size, 7U);
  EXPECT_EQ(artifacts[0].content, std::nullopt);
}

TEST_F(Artifacts, HaveTheSizeOfWhatHasComeWhateverWasSaid) {
  ArtifactTaker taker = keeping();
  EXPECT_TRUE(give(taker, file("a", ~0ULL), "four").ok());
  EXPECT_TRUE(give(taker, file("b", 0), "four").ok());
  for (const Artifact& artifact : std::move(taker).artifacts()) EXPECT_EQ(artifact.size, 4U);
}

// What a taker hands on, in one line.
ArtifactSink into(std::string& line, std::size_t most = ~std::size_t{0}) {
  return [&line, most](const Artifact* begun, std::string_view bytes) {
    if (begun != nullptr)
      line += "|" + std::string(name_of(begun->kind)) + " " + begun->path + " ";
    else
      line += bytes.empty() ? "." : std::string(bytes);
    return line.size() < most;
  };
}

TEST_F(Artifacts, AreHandedOnAsTheyCome) {
  std::string line;
  ArtifactTaker taker({.most_bytes = 10, .sink = into(line)});
  EXPECT_TRUE(taker.begin().ok());
  EXPECT_TRUE(give(taker, file("z"), "text").ok());
  EXPECT_TRUE(taker.entry(directory("d")).ok());
  EXPECT_TRUE(give(taker, file("d/empty"), "").ok());
  EXPECT_TRUE(taker.entry(link("link")).ok());
  EXPECT_TRUE(taker.entry(other("fifo")).ok());
  const std::string all =
      "|directory . |file z text.|directory d |file d/empty .|link link |other fifo ";
  EXPECT_EQ(line, all);
  for (const char* const hostile : {"../x", "/etc/x", "z", "new/x", "a/../../b"})
    EXPECT_EQ(taker.entry(file(hostile)).error().code(), Errc::protocol) << hostile;
  EXPECT_EQ(line, all);
  EXPECT_TRUE(taker.entry(file("long")).ok());
  EXPECT_TRUE(taker.content(bytes_of("123456")).ok());
  EXPECT_EQ(taker.content(bytes_of("7")).error().code(), Errc::too_large);
  EXPECT_EQ(line, all + "|file long 123456");
  EXPECT_TRUE(taker.warnings().empty());
  EXPECT_THAT(std::move(taker).artifacts(), testing::IsEmpty());
}

TEST_F(Artifacts, AreHandedOnNoMoreOnceNobodyWantsThem) {
  std::string line;
  ArtifactTaker taker({.most_bytes = kPlenty, .sink = into(line, 15)});
  EXPECT_TRUE(give(taker, file("a"), "123").ok());
  EXPECT_TRUE(give(taker, file("b"), "456").ok());
  EXPECT_TRUE(give(taker, file("c"), "789").ok());
  EXPECT_EQ(line, "|file a 123.|file b ");
  EXPECT_EQ(taker.end().error().code(), Errc::cancelled);
}

TEST_F(Artifacts, LeadNowhereElse) {
  const std::string hostile[] = {"",
                                 ".",
                                 "..",
                                 "../x",
                                 "/etc/x",
                                 "a/../b",
                                 "a/./b",
                                 "a//b",
                                 "a/",
                                 "/",
                                 "a/..",
                                 "../../etc/x",
                                 "a/b",
                                 "absent/x",
                                 std::string("a\0b", 3),
                                 std::string(256, 'n')};
  for (const std::string& path : hostile) {
    SCOPED_TRACE(path);
    for (const Entry::Kind kind : {Entry::Kind::file, Entry::Kind::directory, Entry::Kind::link}) {
      ArtifactTaker taker = writing();
      EXPECT_EQ(taker.entry({kind, false, 0, path, {}}).error().code(), Errc::protocol);
      EXPECT_TRUE(std::move(taker).artifacts().empty());
    }
  }
  EXPECT_EQ(written(), 0U);
}

TEST_F(Artifacts, LieInDirectoriesOnly) {
  for (const Entry& no_directory : {file("a"), link("a"), other("a")}) {
    ArtifactTaker taker = listing();
    ASSERT_TRUE(taker.entry(no_directory).ok());
    EXPECT_EQ(taker.entry(file("a/b")).error().code(), Errc::protocol);
    EXPECT_EQ(taker.entry(directory("a/b")).error().code(), Errc::protocol);
  }
  ArtifactTaker taker = listing();
  ASSERT_TRUE(taker.entry(directory("ab")).ok());
  EXPECT_EQ(taker.entry(file("a/b")).error().code(), Errc::protocol);
  EXPECT_TRUE(taker.entry(directory("ab/c")).ok());
  EXPECT_TRUE(taker.entry(file("ab/c/d")).ok());
}

TEST_F(Artifacts, DoNotComeTwiceInAnyKind) {
  for (const Entry& first : {file("a"), directory("a"), link("a"), other("a")}) {
    for (const Entry& second : {file("a"), directory("a"), link("a"), other("a")}) {
      ArtifactTaker taker = listing();
      ASSERT_TRUE(taker.entry(first).ok());
      EXPECT_EQ(taker.entry(second).error().code(), Errc::protocol);
      EXPECT_THAT(std::move(taker).artifacts(), SizeIs(1));
    }
  }
}

// What was written as a file first is not what the second one's content ends in.
TEST_F(Artifacts, DoNotComeTwiceWhereTheyAreWritten) {
  ArtifactTaker taker = writing();
  ASSERT_TRUE(give(taker, file("a"), "first").ok());
  EXPECT_EQ(give(taker, file("a"), "second").error().code(), Errc::protocol);
  EXPECT_EQ(text_of_file(scratch_.at("a")), "first");
}

TEST_F(Artifacts, EndBeforeTheNextBegins) {
  ArtifactTaker taker = keeping();
  ASSERT_TRUE(taker.entry(file("a")).ok());
  EXPECT_EQ(taker.entry(file("b")).error().code(), Errc::protocol);
}

TEST_F(Artifacts, HaveNoContentUnlessTheyAreFiles) {
  for (const Entry& entry : {directory("a"), link("a"), other("a")}) {
    ArtifactTaker taker = keeping();
    EXPECT_EQ(taker.content(bytes_of("x")).error().code(), Errc::protocol);
    ASSERT_TRUE(taker.entry(entry).ok());
    EXPECT_EQ(taker.content(bytes_of("x")).error().code(), Errc::protocol);
    EXPECT_EQ(taker.content({}).error().code(), Errc::protocol);
  }
  ArtifactTaker taker = keeping();
  ASSERT_TRUE(give(taker, file("a"), "whole").ok());
  EXPECT_EQ(taker.content(bytes_of("more")).error().code(), Errc::protocol);
  EXPECT_EQ(std::move(taker).artifacts().front().content, "whole");
}

TEST_F(Artifacts, AreNoMoreBytesThanTheBoxCanHold) {
  ArtifactTaker taker = keeping(10);
  EXPECT_TRUE(give(taker, file("a"), "12345").ok());
  EXPECT_TRUE(give(taker, file("b"), "67890").ok());
  EXPECT_TRUE(give(taker, file("c"), "").ok());
  EXPECT_EQ(give(taker, file("d"), "1").error().code(), Errc::too_large);
  EXPECT_THAT(std::move(taker).artifacts(), SizeIs(3)) << "a cut file is none";
}

// So many are taken, and the next is none that a box may name.
void expect_no_more_than(std::size_t most, ArtifactTaker& taker) {
  for (std::size_t index = 0; index < most; ++index)
    ASSERT_TRUE(taker.entry(other(std::to_string(index))).ok()) << index;
  EXPECT_EQ(taker.entry(other("more")).error().code(), Errc::protocol);
  EXPECT_THAT(std::move(taker).artifacts(), SizeIs(most));
}

TEST_F(Artifacts, AreTenThousandAtMost) {
  ArtifactTaker taker = listing();
  expect_no_more_than(10'000, taker);
}

TEST_F(Artifacts, AreAHundredThousandInADirectory) {
  ArtifactTaker taker = writing();
  expect_no_more_than(100'000, taker);
}

// Files with as many names as may be taken; `say` says one.
void say_all_names(const std::function<Status(const std::string& path)>& say) {
  constexpr std::size_t kName = 255, kNames = ArtifactTaker::kMostNames / kName;
  for (std::size_t index = 0; index < kNames; ++index) {
    std::string path = std::to_string(index) + "-";
    path.resize(kName, 'n');
    ASSERT_TRUE(say(path).ok()) << index;
  }
  EXPECT_TRUE(say(std::string(ArtifactTaker::kMostNames - kNames * kName, 'n')).ok());
}

TEST_F(Artifacts, AreNamedIn1MiB) {
  ArtifactTaker taker = keeping();
  say_all_names([&taker](const std::string& path) { return give(taker, file(path), ""); });
  EXPECT_EQ(taker.entry(file("x")).error().code(), Errc::too_large);
}

// Of a list only its end is lost, with what lies below what is not in it.
TEST_F(Artifacts, AreListedIn1MiB) {
  ArtifactTaker taker = listing();
  say_all_names([&taker](const std::string& path) { return taker.entry(file(path)); });
  EXPECT_TRUE(taker.entry(directory("x")).ok());
  EXPECT_TRUE(taker.entry(file("x/y")).ok());
  EXPECT_TRUE(taker.end().ok());
  EXPECT_EQ(std::move(taker).artifacts().size(), ArtifactTaker::kMostNames / 255 + 1);
}

TEST_F(Artifacts, AreKeptUpTo8MiB) {
  const std::string most(ArtifactTaker::kMostContent, 'x');
  ArtifactTaker taker = keeping();
  EXPECT_TRUE(give(taker, file("a"), most).ok());
  EXPECT_TRUE(taker.warnings().empty());
  EXPECT_TRUE(give(taker, file("b"), "x").ok());
  EXPECT_THAT(taker.warnings(), ElementsAre(HasSubstr("\"b\"")));
  const auto artifacts = std::move(taker).artifacts();
  EXPECT_EQ(artifacts[0].content, most);
  EXPECT_EQ(artifacts[1].content, std::nullopt);
  EXPECT_EQ(artifacts[1].size, 1U);
}

TEST_F(Artifacts, AreKeptAfterOneThatWasTooLarge) {
  const std::string large(ArtifactTaker::kMostContent + 1, 'x');
  ArtifactTaker taker = keeping();
  EXPECT_TRUE(give(taker, file("large"), large + large).ok());
  EXPECT_TRUE(give(taker, file("small"), "small").ok());
  EXPECT_THAT(taker.warnings(), SizeIs(1));
  const auto artifacts = std::move(taker).artifacts();
  EXPECT_EQ(artifacts[0].content, std::nullopt);
  EXPECT_EQ(artifacts[0].size, 2 * large.size());
  EXPECT_EQ(artifacts[1].content, "small");
}

TEST_F(Artifacts, AreWrittenInWholeHoweverLarge) {
  const std::string large(ArtifactTaker::kMostContent + kPiece + 1, 'x');
  ArtifactTaker taker = writing(true);
  EXPECT_TRUE(give(taker, file("large"), large).ok());
  EXPECT_THAT(taker.warnings(), SizeIs(1));
  EXPECT_EQ(fs::file_size(scratch_.at("large")), large.size());
  EXPECT_EQ(std::move(taker).artifacts().front().content, std::nullopt);
}

TEST_F(Artifacts, AreWrittenAsTheyLay) {
  const std::string bytes("\0\xFF\r\n", 4);
  ArtifactTaker taker = writing(true);
  EXPECT_TRUE(taker.entry(directory("d")).ok());
  EXPECT_TRUE(taker.entry(directory("d/e")).ok());
  EXPECT_TRUE(give(taker, file("d/e/bytes"), bytes).ok());
  EXPECT_TRUE(give(taker, file("line\nbreak"), "").ok());
  EXPECT_EQ(text_of_file(scratch_.at("d/e/bytes")), bytes);
  EXPECT_TRUE(fs::is_regular_file(scratch_.at("line\nbreak")));
  EXPECT_EQ(std::move(taker).artifacts()[2].content, bytes);
}

TEST_F(Artifacts, AreNotKeptInMemoryWhereTheyAreOnlyWritten) {
  ArtifactTaker taker = writing();
  EXPECT_TRUE(give(taker, file("a"), "text").ok());
  const auto artifacts = std::move(taker).artifacts();
  EXPECT_EQ(artifacts.front().content, std::nullopt);
  EXPECT_EQ(artifacts.front().size, 4U);
}

TEST_F(Artifacts, MayBeRunWhereTheProgramSaidSo) {
  ArtifactTaker taker = writing();
  Entry program = file("program");
  program.executable = true;
  EXPECT_TRUE(give(taker, program, "#!/bin/sh\n").ok());
  EXPECT_TRUE(give(taker, file("text"), "").ok());
  constexpr auto kRun = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  constexpr auto kSpecial = fs::perms::set_uid | fs::perms::set_gid;
  const fs::perms mode = fs::status(scratch_.at("program")).permissions();
  EXPECT_EQ(mode & kRun, kRun);
  EXPECT_EQ(mode & kSpecial, fs::perms::none);
  EXPECT_EQ(fs::status(scratch_.at("text")).permissions() & kRun, fs::perms::none);
}

TEST_F(Artifacts, AreNeverWrittenAsLinksOrAnythingElse) {
  ArtifactTaker taker = writing();
  EXPECT_TRUE(taker.entry(link("link\x1b[1m")).ok());
  EXPECT_TRUE(taker.entry(other("fifo")).ok());
  EXPECT_EQ(written(), 0U);
  ASSERT_THAT(taker.warnings(), SizeIs(2));
  EXPECT_THAT(taker.warnings()[0], HasSubstr("link"));
  EXPECT_EQ(taker.warnings()[0].find('\x1b'), std::string::npos);
  EXPECT_THAT(taker.warnings()[1], HasSubstr("fifo"));
  EXPECT_THAT(std::move(taker).artifacts(), SizeIs(2));
}

TEST(MediaType, FollowsFromTheEndingOfTheName) {
  EXPECT_EQ(media_type_of("table.csv"), "text/csv");
  EXPECT_EQ(media_type_of("a/b.c/PLOT.PNG"), "image/png");
  EXPECT_EQ(media_type_of("archive.tar.gz"), "application/gzip");
  EXPECT_EQ(media_type_of(".json"), "application/json");
  for (const char* const path :
       {"", ".", "csv", "a.", "a.unknown", "dir.csv/file", "a.csv ", "png/x"})
    EXPECT_EQ(media_type_of(path), "application/octet-stream") << path;
}

TEST(OutputDirectory, IsEmptyOrNotThereYet) {
  const test::Scratch scratch;
  EXPECT_TRUE(check_output_directory(scratch.path()).ok());
  EXPECT_TRUE(check_output_directory(scratch.at("absent")).ok());
  EXPECT_TRUE(check_output_directory(scratch.at("absent/below")).ok());
  EXPECT_FALSE(fs::exists(scratch.at("absent")));
}

TEST(OutputDirectory, IsNeitherInUseNorAFile) {
  const test::Scratch scratch;
  const fs::path file = scratch.write("file", "");
  const Status in_use = check_output_directory(scratch.path());
  ASSERT_FALSE(in_use.ok());
  EXPECT_EQ(in_use.error().code(), Errc::invalid_argument);
  EXPECT_FALSE(in_use.error().hint().empty());
  EXPECT_EQ(check_output_directory(file).error().code(), Errc::invalid_argument);
}

}  // namespace
}  // namespace lazaret::core
