#include "os/handle.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace lazaret::os {
namespace {

Handle null_device() { return Handle(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }
bool is_open(RawHandle raw) { return ::fcntl(raw, F_GETFD) >= 0; }

TEST(Handle, ClosesWhatItOwns) {
  RawHandle raw = kNoHandle;
  {
    const Handle handle = null_device();
    raw = handle.get();
    EXPECT_TRUE(is_open(raw));
  }
  EXPECT_FALSE(is_open(raw));
}

TEST(Handle, IsHarmlessWhenMovedFrom) {
  Handle first = null_device();
  const RawHandle raw = first.get();
  const Handle second = std::move(first);
  EXPECT_FALSE(first.valid());  // NOLINT(bugprone-use-after-move): that is the case
  EXPECT_EQ(second.get(), raw);
  first.reset();
  EXPECT_TRUE(is_open(raw));
}

TEST(Handle, ClosesTheOldOneWhenItTakesANewOne) {
  Handle handle = null_device();
  const RawHandle old = handle.get();
  handle = null_device();
  EXPECT_FALSE(is_open(old));
  EXPECT_TRUE(is_open(handle.get()));
}

TEST(Handle, GivesItsOwnAwayOnRelease) {
  Handle handle = null_device();
  const RawHandle raw = handle.release();
  EXPECT_FALSE(handle.valid());
  EXPECT_TRUE(is_open(raw));
  close_handle(raw);
}

}  // namespace
}  // namespace lazaret::os
