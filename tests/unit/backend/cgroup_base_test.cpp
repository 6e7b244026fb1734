#include "backend/linux/cgroup_base.hpp"

#include <gtest/gtest.h>

#include "backend/linux/cgroup_directory.hpp"

namespace lazaret::backend::native {
namespace {

using Path = std::filesystem::path;

Path point_in(std::string_view mountinfo) {
  const auto mount = cgroup2_mount(mountinfo);
  return mount ? mount->point : Path();
}

TEST(Cgroup2Mount, IsFoundOnAUnifiedSystem) {
  EXPECT_EQ(point_in("25 30 0:23 / /sys rw shared:7 - sysfs sysfs rw\n30 23 0:26 / /sys/fs/cgroup "
                     "rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"),
            "/sys/fs/cgroup");
}

TEST(Cgroup2Mount, IsFoundBesideVersionOne_P52) {
  EXPECT_EQ(point_in("31 30 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                     "32 30 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw"),
            "/sys/fs/cgroup/unified");
}

TEST(Cgroup2Mount, MayShowOnlyAPartOfTheHierarchy_L46) {
  const auto mount = cgroup2_mount("30 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw");
  ASSERT_TRUE(mount);
  EXPECT_EQ(mount->root, "/docker/abc");
}

TEST(Cgroup2Mount, MayHaveWhiteSpaceInItsPath) {
  EXPECT_EQ(point_in("30 23 0:26 / /mnt/c\\040groups\\134 rw - cgroup2 cgroup2 rw"),
            "/mnt/c groups\\");
}

TEST(Cgroup2Mount, IsNotMadeUp) {
  EXPECT_EQ(point_in(""), "");
  EXPECT_EQ(point_in("garbage\n\n- cgroup2\n"), "");
  EXPECT_EQ(point_in("31 30 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup2 rw,memory\n"), "");
  EXPECT_EQ(point_in("31 30 0:27 / /cgroup2 rw - tmpfs cgroup2 rw\n"), "");
  EXPECT_EQ(point_in("31 30 0:27 / /x rw -"), "");
}

TEST(OwnCgroup, IsTheLineOfTheUnifiedHierarchy) {
  EXPECT_EQ(own_cgroup("0::/user.slice/user-1000.slice\n"), "/user.slice/user-1000.slice");
  EXPECT_EQ(own_cgroup("12:memory:/a\n1:name=systemd:/b\n0::/c\n"), "/c");
}

TEST(OwnCgroup, IsNotTakenFromVersionOne) {
  EXPECT_EQ(own_cgroup("12:memory:/a\n"), std::nullopt);
  EXPECT_EQ(own_cgroup(""), std::nullopt);
  EXPECT_EQ(own_cgroup("10::/x\n"), std::nullopt);
}

TEST(DirectoryOfACgroup, LiesBeneathTheMount_L46) {
  EXPECT_EQ(directory_of("/", {"/", "/sys/fs/cgroup"}), "/sys/fs/cgroup");
  EXPECT_EQ(directory_of("/a/b", {"/", "/sys/fs/cgroup"}), "/sys/fs/cgroup/a/b");
}

TEST(DirectoryOfACgroup, IsCountedFromWhatTheMountShows_L46) {
  EXPECT_EQ(directory_of("/docker/abc", {"/docker/abc", "/mnt"}), "/mnt");
  EXPECT_EQ(directory_of("/docker/abc/x", {"/docker/abc", "/mnt"}), "/mnt/x");
}

TEST(DirectoryOfACgroup, IsNotKnownOutsideOfTheMount_L46) {
  EXPECT_EQ(directory_of("/docker/other", {"/docker/abc", "/mnt"}), std::nullopt);
  EXPECT_EQ(directory_of("/../../x", {"/", "/mnt"}), std::nullopt);
  EXPECT_EQ(directory_of("/", {"/..", "/mnt"}), std::nullopt);
  EXPECT_EQ(directory_of("", {"/", "/mnt"}), std::nullopt);
}

TEST(CgroupName, IsNotThatOfAScope_L49) {
  EXPECT_EQ(parse_cgroup_name(scope_name(233)), std::nullopt);
  EXPECT_NE(scope_name(233), scope_name(234));
}

TEST(CgroupName, TellsWhoseBoxItIs_L49) {
  const auto name = parse_cgroup_name("lazaret-233-0-4026531836.4026531834-4711");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->pid, 233U);
  EXPECT_EQ(name->namespaces, "4026531836.4026531834");
  EXPECT_EQ(name->started, "4711");
  EXPECT_FALSE(name->is_seat);
}

TEST(CgroupName, TellsWhoseSeatItIs_L49) {
  const auto name = parse_cgroup_name("lazaret-233-self-4026531836.4026531834-4711");
  ASSERT_TRUE(name);
  EXPECT_TRUE(name->is_seat);
}

TEST(CgroupName, IsNotSeenInWhatOthersMake_L49) {
  for (const char* const name :
       {"lazaret.service", "lazaret-1.scope", "lazaret-1-2-3.scope", "lazaret-1-2", "lazaret-a-0-1",
        "xlazaret-1-2-3.3-4", "lazaret-1-other-3.3-4", "lazaret--1-2-3.3-4", "lazaret-1-2-3",
        "lazaret-1-2-3.3-4-5", "lazaret-1-2-3.3-x", ""}) {
    EXPECT_EQ(parse_cgroup_name(name).has_value(), false) << name;
  }
}

}  // namespace
}  // namespace lazaret::backend::native
