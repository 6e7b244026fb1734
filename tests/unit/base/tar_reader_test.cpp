#include "base/tar_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/base/tar_bed.hpp"

namespace lazaret {
namespace {

using test::pax_record;
using test::tar_entry;
using test::tar_extension;
using test::tar_file;
using test::tar_of;
using test::told_of_tar;
using test::with_field;
using testing::ElementsAre;
using testing::HasSubstr;

std::string large_content() {
  std::string content;
  while (content.size() < 200'001) content += static_cast<char>('a' + content.size() % 23);
  return content;
}

// What is wrong with an archive whose only entry is this.
std::string flaw_of(const std::string& entry) {
  const auto told = told_of_tar(tar_of(entry));
  return told.empty() ? "" : told.back();
}
std::string flaw_of_kind(char kind) {
  return flaw_of(with_field(tar_file("it", ""), tar::kKind, std::string(1, kind)));
}
std::string flaw_of_name(const std::string& name) {
  return flaw_of(with_field(tar_file("it", ""), tar::kName, name));
}
std::string flaw_of_record(const std::string& record) {
  return flaw_of(tar_extension('x', record) + tar_file("it", ""));
}

TEST(TarReader, GivesWhatWasWritten) {
  const std::string large = large_content();
  const std::string tar =
      tar_of(tar_entry({.path = "d", .kind = TarKind::directory, .mode = 0755}) +
             tar_entry({.path = "d/run", .mode = 0755}, "#!") + tar_file("empty", "") +
             tar_file("block", std::string(512, 'b')) + tar_file("large", large) +
             tar_entry({.path = "l", .kind = TarKind::link, .target = "d/run"}));
  for (const std::size_t piece : {1UL, 511UL, 512UL, 65536UL})
    EXPECT_THAT(told_of_tar(tar, piece),
                ElementsAre("directory d 755", "file d/run 755 #!", "file empty 644 ",
                            "file block 644 " + std::string(512, 'b'), "file large 644 " + large,
                            "link l -> d/run"))
        << piece;
}

TEST(TarReader, SkipsContentThatNobodyTakes) {
  std::string tar = tar_of(tar_file("a", large_content()) + tar_file("b", "x"));
  TarReader reader([&] { return Result<std::string>(std::exchange(tar, {})); });
  EXPECT_EQ(reader.next().value()->path, "a");
  EXPECT_EQ(reader.next().value()->path, "b");
  EXPECT_FALSE(reader.next().value());
}

TEST(TarReader, TakesOldDirectoriesByTheSlashBehindTheirNames) {
  for (const std::string& kind : {std::string("0"), std::string("\0", 1)})
    EXPECT_EQ(
        flaw_of(with_field(with_field(tar_file("it", ""), tar::kName, "it/"), tar::kKind, kind)),
        "directory it 644");
}

TEST(TarReader, TakesTheArchivesOwnDirectoryAndNoOtherThingOfItsName) {
  const std::string root = tar_entry({.path = "it", .kind = TarKind::directory, .mode = 0755});
  EXPECT_EQ(flaw_of(with_field(root, tar::kName, "./")), "directory . 755");
  EXPECT_EQ(flaw_of_name("."), "error .: no name");
}

TEST(TarReader, RefusesPathsThatLeadElsewhere) {
  EXPECT_THAT(flaw_of_name("../it"), HasSubstr("error ../it: a path in an archive climbs out"));
  EXPECT_THAT(flaw_of_name("a/../../it"), HasSubstr("climbs out"));
  EXPECT_THAT(flaw_of_name("/it"), HasSubstr("is absolute"));
  EXPECT_THAT(flaw_of_name(""), HasSubstr("is empty"));
  EXPECT_THAT(flaw_of(with_field(tar_file("it", ""), tar::kPrefix, "..")), HasSubstr("climbs out"));
  EXPECT_THAT(flaw_of_record(pax_record("path=../it")), HasSubstr("climbs out"));
  EXPECT_THAT(flaw_of(tar_extension('L', "/it") + tar_file("it", "")), HasSubstr("is absolute"));
}

TEST(TarReader, RefusesWhatIsNoFileDirectoryOrLinkAndNamesIt) {
  EXPECT_EQ(flaw_of_kind('1'), "error it: a hard link");
  EXPECT_EQ(flaw_of_kind('3'), "error it: a device");
  EXPECT_EQ(flaw_of_kind('4'), "error it: a device");
  EXPECT_EQ(flaw_of_kind('6'), "error it: a fifo");
  EXPECT_EQ(flaw_of_kind('S'), "error it: a sparse file");
  for (const char kind : {'8', 'D', 'M', 'N', 'X', 'Z', '\x7f'})
    EXPECT_THAT(flaw_of_kind(kind), HasSubstr("neither")) << kind;
}

TEST(TarReader, RefusesSparseFilesOfExtendedHeaders) {
  EXPECT_EQ(flaw_of_record(pax_record("GNU.sparse.major=1") + pax_record("GNU.sparse.name=real")),
            "error real: a sparse file");
  EXPECT_EQ(flaw_of_record(pax_record("SCHILY.realsize=9")), "error it: a sparse file");
}

TEST(TarReader, RefusesContentOfWhatIsNoFile) {
  EXPECT_THAT(flaw_of(with_field(tar_file("it", "x"), tar::kKind, "5")),
              HasSubstr("has a content"));
  EXPECT_THAT(flaw_of(with_field(tar_file("it", "x"), tar::kName, "it/")),
              HasSubstr("has a content"));
  EXPECT_THAT(flaw_of_kind('2'), HasSubstr("a link to nothing"));
}

TEST(TarReader, TakesNamesAndSizesFromAnExtendedHeader) {
  const std::string records = pax_record("path=real\nname") + pax_record("size=3") +
                              pax_record("mtime=1.5") + pax_record("comment=a=b");
  const std::string entry = with_field(tar_file("it", "abc"), tar::kSize, "0");
  EXPECT_EQ(flaw_of(tar_extension('x', records) + entry), "file real\nname 644 abc");
  EXPECT_EQ(told_of_tar(tar_of(tar_extension('x', pax_record("path=a")) + tar_file("it", "") +
                               tar_file("b", ""))),
            (std::vector<std::string>{"file a 644 ", "file b 644 "}));
}

TEST(TarReader, TakesGnusLongNames) {
  const std::string name(300, 'n'), target(300, 't');
  const std::string link = tar_entry({.path = "l", .kind = TarKind::link, .target = "t"});
  EXPECT_EQ(flaw_of(tar_extension('L', name + '\0') + tar_file("it", "x")),
            "file " + name + " 644 x");
  EXPECT_EQ(flaw_of(tar_extension('K', target + '\0') + tar_extension('L', name) + link),
            "link " + name + " -> " + target);
  const std::string label = with_field(tar_file("label", ""), tar::kKind, "V");
  EXPECT_EQ(flaw_of(label + tar_file("it", "x")), "file it 644 x");
}

TEST(TarReader, RefusesExtendedHeadersThatAreNone) {
  for (const std::string record :
       {"path=a\n", "99 path=a\n", "9 path=a", "10 path=a", "0 path=a\n", "8 =aaaa\n", "7 aaaa\n",
        "-9 path=a\n", "18446744073709551625 path=a\n", "999999999999999999999 a=b\n"})
    EXPECT_THAT(flaw_of_record(record), HasSubstr("no list of records")) << record;
  EXPECT_THAT(flaw_of_record(pax_record(std::string("path=a\0b", 8))), HasSubstr("holds a NUL"));
  for (const char* const size : {"size=-1", "size=9223372036854775808", "size=", "size=1x"})
    EXPECT_THAT(flaw_of_record(pax_record(size)), HasSubstr("a size is no number")) << size;
  EXPECT_THAT(flaw_of_record(pax_record("size=0") + pax_record("size=1")), HasSubstr("twice"));
  EXPECT_THAT(flaw_of_record(pax_record("path=a") + pax_record("path=b")), HasSubstr("twice"));
  EXPECT_THAT(flaw_of(tar_extension('g', pax_record("path=a")) + tar_file("it", "")),
              HasSubstr("for all entries"));
  EXPECT_EQ(flaw_of(tar_extension('g', pax_record("comment=a")) + tar_file("it", "")),
            "file it 644 ");
}

TEST(TarReader, TakesAnExtendedHeaderOfOneMebibyteAndNotOneByteMore) {
  const std::string record = pax_record("comment=" + std::string((1U << 20) - 17, 'x'));
  ASSERT_EQ(record.size(), 1U << 20);
  EXPECT_EQ(flaw_of_record(record), "file it 644 ");
  EXPECT_THAT(flaw_of_record(record + "x"), HasSubstr("longer than 1 MiB"));
}

TEST(TarReader, TakesSizesInDigitsAndInBytes) {
  const auto sized = [](const std::string& size) {
    return flaw_of(with_field(tar_file("it", "x"), tar::kSize, size));
  };
  EXPECT_EQ(sized("1"), "file it 644 x");
  EXPECT_EQ(sized("       1 "), "file it 644 x");
  EXPECT_EQ(sized(std::string("\x80\0\0\0\0\0\0\0\0\0\0\1", 12)), "file it 644 x");
  for (const std::string& wrong :
       {std::string("9"), std::string("1 1"), std::string("-1"), std::string(12, '\xff'),
        std::string("\x80\0\0\0\x80\0\0\0\0\0\0\0", 12)})
    EXPECT_THAT(sized(wrong), HasSubstr("no right numbers"));
  EXPECT_THAT(sized("777777777777"), HasSubstr("ends too early"));
}

TEST(TarReader, RefusesADamagedHeader) {
  std::string tar = tar_of(tar_file("it", "x"));
  tar[0] = 'I';
  EXPECT_THAT(told_of_tar(tar).back(), HasSubstr("the sum of a header is wrong"));
  EXPECT_THAT(told_of_tar(std::string(1024, 'x')).back(), HasSubstr("no tar archive"));
}

TEST(TarReader, SaysOfACompressedArchiveWhatItIs) {
  TarReader reader([] { return Result<std::string>("\x1f\x8b" + std::string(510, 'x')); });
  EXPECT_THAT(reader.next().error().hint(), HasSubstr("compressed"));
}

TEST(TarReader, RefusesAnArchiveThatIsCutAnywhere) {
  const std::string tar = tar_of(tar_extension('x', pax_record("path=a")) + tar_file("it", "x"));
  for (std::size_t size = 0; size < tar.size(); size += 64)
    EXPECT_THAT(told_of_tar(tar.substr(0, size)).back(), HasSubstr("the archive ends too early"))
        << size;
  EXPECT_THAT(flaw_of(tar_extension('x', pax_record("mtime=1"))), HasSubstr("too early"));
}

TEST(TarReader, RefusesWhatFollowsTheEndButZeros) {
  const std::string tar = tar_of(tar_file("it", "x"));
  EXPECT_EQ(told_of_tar(tar + std::string(8192, '\0')).back(), "file it 644 x");
  EXPECT_THAT(told_of_tar(tar + tar).back(), HasSubstr("something follows"));
  EXPECT_THAT(told_of_tar(tar + std::string((1U << 20) + 1, '\0')).back(),
              HasSubstr("something follows"));
  EXPECT_THAT(flaw_of(std::string(512, '\0') + tar_file("it", "x")), HasSubstr("an empty block"));
}

TEST(TarReader, TellsOfItsSourcesError) {
  TarReader reader([] { return Result<std::string>(Error(Errc::timed_out, "late")); });
  EXPECT_EQ(reader.next().error().code(), Errc::timed_out);
}

}  // namespace
}  // namespace lazaret
