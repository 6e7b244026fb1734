#include "backend/linux/disks.hpp"

#include <gmock/gmock.h>

namespace lazaret::backend::native {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

constexpr std::string_view kMounts =
    "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
    "30 22 8:2 / /usr rw - ext4 /dev/sda2 rw\n"
    "31 30 8:17 / /usr/local rw - xfs /dev/sdb1 rw\n"
    "32 22 8:33 / /usrlocal rw - xfs /dev/sdc1 rw\n";

auto on(const char* device, const char* type) {
  return testing::AllOf(Field(&Beneath::device, device), Field(&Beneath::type, type));
}

TEST(MountsBeneath, AreThoseThatABindBringsAlong) {
  EXPECT_THAT(mounts_beneath("/usr", kMounts), ElementsAre(on("8:2", "ext4"), on("8:17", "xfs")));
  EXPECT_THAT(mounts_beneath("/usr/local", kMounts), ElementsAre(on("8:17", "xfs")));
}

TEST(MountsBeneath, AreNotThoseOfAnotherName) {
  EXPECT_THAT(mounts_beneath("/us", kMounts), IsEmpty());
  EXPECT_THAT(mounts_beneath("/etc", kMounts), IsEmpty());
}

TEST(MountsBeneath, AreNotMadeUp) {
  EXPECT_THAT(mounts_beneath("/usr", ""), IsEmpty());
  EXPECT_THAT(mounts_beneath("/usr", "garbage\n1 2 3 4\n"), IsEmpty());
}

}  // namespace
}  // namespace lazaret::backend::native
