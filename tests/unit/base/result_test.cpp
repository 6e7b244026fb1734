#include "lazaret/result.hpp"

#include <memory>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include "base/try.hpp"

// That a dropped Result does not compile is not tested here: the class is [[nodiscard]], and every
// target of ours is compiled with -Werror.
namespace lazaret {
namespace {

Result<int> half_of(int number) {
  if (number % 2 != 0) return Error(Errc::invalid_argument, "odd");
  return number / 2;
}

Result<int> quarter_of(int number) {
  LAZARET_TRY(const int half, half_of(number));
  LAZARET_TRY(const int quarter, half_of(half));
  return quarter;
}

Status halves_twice(int number, int& checks) {
  LAZARET_CHECK(quarter_of(number));
  ++checks;
  return {};
}

TEST(Result, HoldsTheValue) {
  const Result<int> result = half_of(8);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(*result, 4);
}

TEST(Result, HoldsTheErrorWithItsCodeAndMessage) {
  const Result<int> result = half_of(7);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code(), Errc::invalid_argument);
  EXPECT_EQ(result.error().message(), "odd");
  EXPECT_EQ(result.error().os_error(), 0);
}

TEST(Result, GivesAMoveOnlyValueAway) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 5);
}

TEST(Result, IsStillAResultAfterItsValueWasMovedOut) {
  Result<std::string> result = std::string(100, 'x');
  const std::string taken = std::move(result).value();
  EXPECT_EQ(taken.size(), 100U);
  EXPECT_TRUE(result.ok());
  result = std::string("again");
  EXPECT_EQ(*result, "again");
}

TEST(Result, PutsContextInFrontOfAnErrorOnly) {
  EXPECT_EQ(*half_of(8).within("halving"), 4);
  EXPECT_EQ(half_of(7).within("halving").error().message(), "halving: odd");
  EXPECT_TRUE(Status().within("halving").ok());
  EXPECT_EQ(Status(Error(Errc::system, "no")).within("halving").error().message(), "halving: no");
}

TEST(Error, KeepsHintAndSystemErrorWhenContextIsAdded) {
  const Error error =
      Error(Errc::system, "open").with_hint("try again").with_os_error(5).within("a").within("b");
  EXPECT_EQ(error.message(), "b: a: open");
  EXPECT_EQ(error.hint(), "try again");
  EXPECT_EQ(error.os_error(), 5);
  EXPECT_EQ(Error(error).as(Errc::protocol).code(), Errc::protocol);
}

TEST(ResultDeathTest, EndsTheProcessWhenTheOtherSideIsAskedFor) {
  EXPECT_DEATH((void)half_of(7).value(), "");
  EXPECT_DEATH((void)half_of(8).error(), "");
  EXPECT_DEATH((void)Status().error(), "");
}

TEST(Try, BindsTheValueOrReturnsTheFirstError) {
  EXPECT_EQ(*quarter_of(12), 3);
  EXPECT_EQ(quarter_of(7).error().message(), "odd");
  EXPECT_EQ(quarter_of(6).error().message(), "odd");
}

TEST(Check, GoesOnAfterSuccessAndReturnsAfterFailure) {
  int checks = 0;
  EXPECT_TRUE(halves_twice(12, checks).ok());
  EXPECT_EQ(checks, 1);
  EXPECT_FALSE(halves_twice(6, checks).ok());
  EXPECT_EQ(checks, 1);
}

}  // namespace
}  // namespace lazaret
