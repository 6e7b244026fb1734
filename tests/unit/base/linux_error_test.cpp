#include "base/linux_error.hpp"

#include <gtest/gtest.h>

namespace lazaret {
namespace {

TEST(LinuxError, HasWordsAndItsNumber) {
  EXPECT_EQ(text_of_linux_error(2), "No such file or directory (errno 2)");
  EXPECT_EQ(text_of_linux_error(40), "Too many levels of symbolic links (errno 40)");
}

TEST(LinuxError, IsItsNumberAloneWhereItIsNotExpected) {
  EXPECT_EQ(text_of_linux_error(0), "errno 0");
  EXPECT_EQ(text_of_linux_error(4711), "errno 4711");
}

}  // namespace
}  // namespace lazaret
