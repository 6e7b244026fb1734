#include "backend/linux/disks.hpp"

#include <gmock/gmock.h>

namespace lazaret::backend::native {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kMounts =
    "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
    "30 22 8:2 / /usr rw - ext4 /dev/sda2 rw\n"
    "31 30 8:17 / /usr/local rw - xfs /dev/sdb1 rw\n"
    "32 22 8:33 / /usrlocal rw - xfs /dev/sdc1 rw\n";

TEST(DevicesBeneath, AreThoseThatABindBringsAlong) {
  EXPECT_THAT(devices_beneath("/usr", kMounts), ElementsAre("8:2", "8:17"));
  EXPECT_THAT(devices_beneath("/usr/local", kMounts), ElementsAre("8:17"));
}

TEST(DevicesBeneath, AreNotThoseOfAnotherName) {
  EXPECT_THAT(devices_beneath("/us", kMounts), IsEmpty());
  EXPECT_THAT(devices_beneath("/etc", kMounts), IsEmpty());
}

TEST(DevicesBeneath, AreNotMadeUp) {
  EXPECT_THAT(devices_beneath("/usr", ""), IsEmpty());
  EXPECT_THAT(devices_beneath("/usr", "garbage\n1 2 3 4\n"), IsEmpty());
}

}  // namespace
}  // namespace lazaret::backend::native
