#include "backend/linux/cgroup.hpp"

#include <gtest/gtest.h>

namespace lazaret::backend::native {
namespace {

TEST(Cgroup2Mount, IsFoundOnAUnifiedSystem) {
  EXPECT_EQ(cgroup2_mount(
                "25 30 0:23 / /sys rw shared:7 - sysfs sysfs rw\n"
                "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"),
            "/sys/fs/cgroup");
}

TEST(Cgroup2Mount, IsFoundBesideVersionOne_P52) {
  EXPECT_EQ(cgroup2_mount("31 30 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                          "32 30 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw"),
            "/sys/fs/cgroup/unified");
}

TEST(Cgroup2Mount, IsNotMadeUp) {
  EXPECT_EQ(cgroup2_mount(""), std::nullopt);
  EXPECT_EQ(cgroup2_mount("garbage\n\n- cgroup2\n"), std::nullopt);
  EXPECT_EQ(cgroup2_mount("31 30 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup2 rw,memory\n"),
            std::nullopt);
  EXPECT_EQ(cgroup2_mount("31 30 0:27 / /cgroup2 rw - tmpfs cgroup2 rw\n"), std::nullopt);
  EXPECT_EQ(cgroup2_mount("31 30 0:27 / /x rw -"), std::nullopt);
}

TEST(OwnCgroup, IsTheLineOfTheUnifiedHierarchy) {
  EXPECT_EQ(own_cgroup("0::/user.slice/user-1000.slice\n"), "user.slice/user-1000.slice");
  EXPECT_EQ(own_cgroup("12:memory:/a\n1:name=systemd:/b\n0::/c\n"), "c");
}

TEST(OwnCgroup, IsEmptyAtTheRoot) { EXPECT_EQ(own_cgroup("0::/\n"), ""); }

TEST(OwnCgroup, IsNotTakenFromVersionOne) {
  EXPECT_EQ(own_cgroup("12:memory:/a\n"), std::nullopt);
  EXPECT_EQ(own_cgroup(""), std::nullopt);
  EXPECT_EQ(own_cgroup("10::/x\n"), std::nullopt);
}

}  // namespace
}  // namespace lazaret::backend::native
