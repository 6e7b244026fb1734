#include "base/split.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lazaret {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Split, GivesWhatLiesBetweenSeparators) {
  EXPECT_THAT(split("one", ','), ElementsAre("one"));
  EXPECT_THAT(split("one,two", ','), ElementsAre("one", "two"));
  EXPECT_THAT(split("one,,two", ','), ElementsAre("one", "", "two"));
  EXPECT_THAT(split(",one", ','), ElementsAre("", "one"));
}

TEST(Split, GivesNothingAfterTheLastSeparator) {
  EXPECT_THAT(split("", '\n'), IsEmpty());
  EXPECT_THAT(split("one\n", '\n'), ElementsAre("one"));
  EXPECT_THAT(split("\n\n", '\n'), ElementsAre("", ""));
}

}  // namespace
}  // namespace lazaret
