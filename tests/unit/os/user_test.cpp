#include "os/user.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "os/handle.hpp"
#include "os/linux/load.hpp"

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

TEST(IsCrowded, WhenMoreIsReadyToRunThanThereAreProcessors) {
  std::vector<std::jthread> busy;
  for (unsigned index = 0; index < 2 * std::thread::hardware_concurrency(); ++index)
    busy.emplace_back([](const std::stop_token& stop) { while (!stop.stop_requested()); });
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!is_crowded()) ASSERT_LT(std::chrono::steady_clock::now(), latest);
}

TEST(ReadyIn, IsTheNumberBeforeTheSlashAlone) {
  EXPECT_EQ(ready_in("0.20 0.18 0.12 1/80 11206\n"), 1U);
  EXPECT_EQ(ready_in("9.20 8.18 7.12 31/80 11206\n"), 31U);
  for (const char* const text : {"", "1/80", "0.20 0.18 0.12", "0.20 0.18 0.12 x/80", "0 1x/80",
                                 "0 /80", "0 -1/80"})
    EXPECT_EQ(ready_in(text), std::nullopt) << text;
}

}  // namespace
}  // namespace lazaret::os
