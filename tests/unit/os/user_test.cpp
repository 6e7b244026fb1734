#include "os/user.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "os/handle.hpp"

namespace lazaret::os {
namespace {

TEST(IsAtEnd, OfTheNullDeviceAndOfFilesThatWereReadWholeAlone) {
  EXPECT_TRUE(is_at_end(Handle(::open("/dev/null", O_RDONLY)).get()));
  EXPECT_FALSE(is_at_end(Handle(::open("/dev/zero", O_RDONLY)).get()));
  EXPECT_FALSE(is_at_end(-1));
  EXPECT_FALSE(is_at_end(Handle(::open("/proc/self/status", O_RDONLY)).get())) << "of size 0";
  const Handle file(::open("/tmp", O_TMPFILE | O_RDWR, 0600));
  ASSERT_TRUE(file.valid());
  EXPECT_TRUE(is_at_end(file.get())) << "an empty one";
  ASSERT_EQ(::write(file.get(), "ab", 2), 2);
  EXPECT_TRUE(is_at_end(file.get()));
  ASSERT_EQ(::lseek(file.get(), 1, SEEK_SET), 1);
  EXPECT_FALSE(is_at_end(file.get())) << "a byte before its end";
}

TEST(IsAtEnd, NeverOfAPipe) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const Handle reading(ends[0]), writing(ends[1]);
  EXPECT_FALSE(is_at_end(reading.get())) << "who writes may do so later";
}

// Other tests run beside it: each is looked for until it is seen.
TEST(IsCrowded, WhenMoreIsReadyToRunThanThereAreProcessors) {
  const auto comes = [](bool wanted) {
    const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (is_crowded() != wanted) {
      if (std::chrono::steady_clock::now() > latest) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  };
  EXPECT_TRUE(comes(false));
  std::vector<std::jthread> busy;
  for (unsigned index = 0; index < 2 * std::thread::hardware_concurrency(); ++index)
    busy.emplace_back([](const std::stop_token& stop) { while (!stop.stop_requested()); });
  EXPECT_TRUE(comes(true));
}

}  // namespace
}  // namespace lazaret::os
