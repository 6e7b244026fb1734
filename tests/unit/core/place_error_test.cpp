#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/run_error.hpp"

namespace lazaret::core {
namespace {

using testing::HasSubstr;

TEST(PlaceError, NamesTheLimitThatLeavesNoRoom) {
  Limits limits;
  limits.disk_bytes = 4711;
  const Error error = place_error({"a", 28}, limits);
  EXPECT_EQ(error.code(), Errc::too_large);
  EXPECT_THAT(error.message(), HasSubstr("no room for /work/a: /work holds 4711 bytes"));
}

TEST(PlaceError, SaysThatAFileCannotHoldAnother) {
  const Error error = place_error({"a/b", 20}, {});
  EXPECT_EQ(error.message(), "/work/a/b would lie below a file");
  EXPECT_EQ(error.hint(), "give it another place");
}

TEST(PlaceError, HasTheSystemsWordsForEverythingElse) {
  EXPECT_EQ(place_error({"a", 36}, {}).message(),
            "putting /work/a failed: File name too long (errno 36)");
}

}  // namespace
}  // namespace lazaret::core
