#include "os/error.hpp"

#include <cerrno>
#include <string>

#include <gtest/gtest.h>

namespace lazaret::os {
namespace {

struct Case {
  int code;
  Errc kind;
};

TEST(SystemError, HasTheKindThatCallersDecideBy) {
  constexpr Case kCases[] = {
      {ENOENT, Errc::not_found},        {EACCES, Errc::permission_denied},
      {EPERM, Errc::permission_denied}, {ECONNREFUSED, Errc::connection_refused},
      {EPIPE, Errc::connection_lost},   {ECONNRESET, Errc::connection_lost},
      {ENOSYS, Errc::unsupported},      {EOPNOTSUPP, Errc::unsupported},
      {EINVAL, Errc::invalid_argument}, {EIO, Errc::system},
      {ENOMEM, Errc::system},
  };
  for (const Case& row : kCases) {
    SCOPED_TRACE(row.code);
    EXPECT_EQ(system_error("open", row.code).code(), row.kind);
    EXPECT_EQ(system_error("open", row.code).os_error(), row.code);
  }
}

TEST(SystemError, SaysWhatWasTriedAndWhy) {
  EXPECT_EQ(system_error("opening /x", ENOENT).message(), "opening /x: No such file or directory");
}

TEST(SystemError, CopesWithNumbersThatHaveNoText) {
  EXPECT_EQ(system_error("odd", 99'999).message(), "odd: unknown error");
}

}  // namespace
}  // namespace lazaret::os
