#include "backend/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/backend/report_sample.hpp"

namespace lazaret::backend {
namespace {

using testing::ElementsAre;

TEST(ParseReport, TakesAWholeReportApart) {
  const SelfReport report = parse_report(std::string(test::kGoodReport));
  EXPECT_EQ(report.value("pid"), "1");
  EXPECT_EQ(report.status.find("Uid"), "65534\t65534\t65534\t65534");
  EXPECT_EQ(report.status.find("Groups"), "");
  EXPECT_THAT(report.interfaces, ElementsAre("lo"));
  ASSERT_EQ(report.mounts.size(), 7U);
  EXPECT_EQ(report.mounts[0].target, "/");
  EXPECT_EQ(report.mounts[1].type, "ext4");
  EXPECT_TRUE(report.mounts[1].has("ro"));
  EXPECT_EQ(report.probe("route"), 101);
  EXPECT_EQ(report.value("limit.core"), "0 0");
}

TEST(ParseReport, KnowsNothingOfAnEmptyReport) {
  const SelfReport report = parse_report("");
  EXPECT_TRUE(report.values.empty());
  EXPECT_EQ(report.value("pid"), std::nullopt);
  EXPECT_EQ(report.number("pid"), std::nullopt);
  EXPECT_EQ(report.probe("route"), std::nullopt);
}

TEST(ParseReport, LeavesOutWhatItCannotUnderstand) {
  for (const std::string_view text :
       {"no equals sign", "=\n=\n", "status=\n", "status=:\n", "net=\n", "net=:\n", "net=   \n",
        "mount=\n", "mount=1 2 3 - ext4\n", "mount=- - - - - -\n", "mount=1 2 3 4 5 6 -\n",
        "\n\n\n", "=", "probe.route=\n"}) {
    SCOPED_TRACE(std::string(text));
    const SelfReport report = parse_report(std::string(text));
    EXPECT_TRUE(report.mounts.empty());
    EXPECT_EQ(report.probe("route"), std::nullopt);
  }
}

TEST(ParseReport, TakesTheLastOfTwoValues) {
  EXPECT_EQ(parse_report("pid=1\npid=2").value("pid"), "2");
}

TEST(ParseReport, KeepsEqualsSignsInValues) {
  EXPECT_EQ(parse_report("hostname=a=b").value("hostname"), "a=b");
}

TEST(ParseReport, DoesNotTakeOptionalFieldsForTheFileSystem) {
  const SelfReport report = parse_report(
      "mount=36 35 98:0 /a /b rw shared:1 master:2 propagate_from:3 - ext3 /dev/x rw\n");
  ASSERT_EQ(report.mounts.size(), 1U);
  EXPECT_EQ(report.mounts[0].type, "ext3");
}

TEST(MountLine, HasWholeOptionsOnly) {
  const MountLine mount{"/", "ro,nosuid,nodev", "tmpfs"};
  EXPECT_TRUE(mount.has("ro"));
  EXPECT_TRUE(mount.has("nodev"));
  EXPECT_FALSE(mount.has("r"));
  EXPECT_FALSE(mount.has("suid"));
  EXPECT_FALSE(mount.has("rw"));
  EXPECT_FALSE((MountLine{"/", "errors=ro", "x"}.has("ro")));
}

TEST(MountLine, SaysWhatTheFileSystemItselfIsSetTo) {
  const SelfReport report =
      parse_report("mount=36 35 0:9 / /w rw - tmpfs tmpfs rw,size=4k,mode=700\n");
  ASSERT_EQ(report.mounts.size(), 1U);
  EXPECT_EQ(report.mounts[0].setting("size"), "4k");
  EXPECT_EQ(report.mounts[0].setting("mode"), "700");
  EXPECT_EQ(report.mounts[0].setting("siz"), std::nullopt);
  EXPECT_EQ(report.mounts[0].setting("rw"), std::nullopt);
}

TEST(Probe, IsAnErrnoOrNothing) {
  EXPECT_EQ(parse_report("probe.x=0").probe("x"), 0);
  EXPECT_EQ(parse_report("probe.x=4095").probe("x"), 4095);
  EXPECT_EQ(parse_report("probe.x=4096").probe("x"), std::nullopt);
  EXPECT_EQ(parse_report("probe.x=-1").probe("x"), std::nullopt);
  EXPECT_EQ(parse_report("probe.x=1 ").probe("x"), std::nullopt);
}

TEST(WordsOf, AreWhatLiesBetweenWhiteSpace) {
  EXPECT_THAT(words_of(" a\t b  c "), ElementsAre("a", "b", "c"));
  EXPECT_TRUE(words_of(" \t ").empty());
  EXPECT_TRUE(words_of("").empty());
}

// Keys of the runner's report are no fields of /proc/PID/status, and the other way round.
TEST(ParseStatus, ReadsAProcessSeenFromOutside) {
  const SelfReport report = parse_status("Name:\ttrue\nGroups:\t\nSeccomp:\t2\npid=1\nnoise\n");
  EXPECT_EQ(report.status.find("Name"), "true");
  EXPECT_EQ(report.status.find("Groups"), "");
  EXPECT_EQ(report.status.find("Seccomp"), "2");
  EXPECT_EQ(report.status.find("pid=1"), std::nullopt);
  EXPECT_TRUE(report.values.empty());
}

TEST(ParseReport, TellsWhatTheReportingProcessTakes) {
  EXPECT_EQ(parse_report("status=VmRSS:\t     708 kB\n").resident_bytes(), 708U * 1024);
  for (const char* const text : {"", "status=VmRSS:\n", "status=VmRSS:\t kB\n", "VmRSS=708\n"})
    EXPECT_EQ(parse_report(text).resident_bytes(), 0U) << text;
}

TEST(ParseReport, LeavesOutAMountThatIsCutShort) {
  for (const char* const line : {"mount=", "mount=36 35 0:9 / /w rw", "mount=36 35 0:9 / /w rw -",
                                 "mount=36 35 0:9 / /w rw master:1 shared:2"})
    EXPECT_TRUE(parse_report(line).mounts.empty()) << line;
}

}  // namespace
}  // namespace lazaret::backend
