#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "backend/linux/cgroup_base.hpp"
#include "integration/support.hpp"

// Seats of one process in a cgroup of the test's own; no controller is needed for them.
namespace lazaret::test {
namespace {

namespace fs = std::filesystem;
namespace native = backend::native;

class NativeCgroupSeat : public testing::Test {
 protected:
  void SetUp() override {
    const auto mount = native::cgroup2_mount(file_text("/proc/self/mountinfo"));
    const auto own = native::cgroup_of(::getpid());
    const auto place = mount && own ? native::directory_of(*own, *mount) : std::nullopt;
    if (!place || ::geteuid() != 0)
      LAZARET_SKIP_OR_FAIL("cgroup2", "root in a cgroup of version 2");
    before_ = *place;
    directory_ = before_ / ("test-" + std::to_string(::getpid()));
    ASSERT_EQ(::mkdir(directory_.c_str(), 0755), 0);
    move_to(directory_);
  }
  void TearDown() override {
    if (directory_.empty()) return;
    move_to(before_);
    EXPECT_EQ(::rmdir(directory_.c_str()), 0) << "something is left";
  }
  static void move_to(const fs::path& place) { std::ofstream(place / "cgroup.procs") << "0"; }
  [[nodiscard]] static std::string place() { return native::cgroup_of(::getpid())->filename(); }
  [[nodiscard]] native::CgroupSeat seat() const {
    auto taken = native::CgroupSeat::take(directory_, {});
    EXPECT_TRUE(taken.ok());
    return taken.ok() ? std::move(taken).value() : native::CgroupSeat();
  }
  [[nodiscard]] std::string home() const { return directory_.filename(); }

  fs::path before_, directory_;
};

TEST_F(NativeCgroupSeat, IsLeftWithItsEnd_P52) {
  {
    const auto only = seat();
    EXPECT_NE(place(), home());
  }
  EXPECT_EQ(place(), home());
}

TEST_F(NativeCgroupSeat, IsNotLeftAsLongAsAnotherIsInUse_P52) {
  std::optional first(seat());
  std::optional second(seat());
  const std::string leaf = place();
  first.reset();
  EXPECT_EQ(place(), leaf);
  second.reset();
  EXPECT_EQ(place(), home());
}

TEST_F(NativeCgroupSeat, IsNotLeftByAFork) {
  std::optional kept(seat());
  const std::string leaf = place();
  (void)in_child(Caller::root, [&kept] {
    kept.reset();
    return std::string();
  });
  EXPECT_EQ(place(), leaf);
  kept.reset();
  EXPECT_EQ(place(), home());
}

}  // namespace
}  // namespace lazaret::test
