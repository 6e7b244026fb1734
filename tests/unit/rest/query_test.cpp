#include "api/rest/query.hpp"

#include <array>

#include <gtest/gtest.h>

namespace lazaret::rest {
namespace {

constexpr std::array<std::string_view, 2> kKnown = {"path", "other"};
constexpr std::array<std::string_view, 1> kNumber = {"n"};

std::string path_in(std::string_view query) {
  const auto parameters = parameters_of(query, kKnown);
  if (!parameters.ok()) return "error";
  const auto found = parameters->find("path");
  return found == parameters->end() ? "none" : found->second;
}

TEST(Query, HasParametersOrNone) {
  EXPECT_EQ(path_in(""), "none");
  EXPECT_EQ(path_in("other=a"), "none");
  EXPECT_EQ(path_in("path="), "");
  EXPECT_EQ(path_in("path=a/b"), "a/b");
  EXPECT_EQ(path_in("path=a=b"), "a=b");
  EXPECT_EQ(path_in("path=a%2fb%20c+d"), "a/b c+d");
  EXPECT_EQ(path_in("path=%C3%A9&other=%26"), "\xC3\xA9");
  EXPECT_EQ(parameters_of("other=%26&path=a", kKnown)->at("other"), "&");
}

TEST(Query, RefusesAnotherParameterOneTwiceAndWhatCannotBeDecoded) {
  for (const char* const query : {"third=a", "path", "&path=a", "path=a&path=a", "path=a&third=b",
                                  "path=%", "path=%2", "path=%2x", "path=%-1", "path=% 1"})
    EXPECT_EQ(path_in(query), "error") << query;
}

TEST(Query, SaysWhichParameterHasNoValue) {
  EXPECT_EQ(parameters_of("path", kKnown).error().message(), "path needs a value: path=...");
  EXPECT_EQ(parameters_of("third", kKnown).error().message(), "no parameter here: third");
}

TEST(Query, HasWholeNumbersUpToABound) {
  const auto number = [](const char* query, std::uint64_t most) {
    const auto parameters = parameters_of(query, kNumber);
    return number_in(*parameters, "n", most);
  };
  EXPECT_EQ(number("", 5).value(), 0U);
  EXPECT_EQ(number("n=5", 5).value(), 5U);
  EXPECT_FALSE(number("n=6", 5).ok());
  EXPECT_EQ(number("n=18446744073709551615", kAnyNumber).value(), kAnyNumber);
  for (const char* const query : {"n=", "n=-1", "n=1x", "n=%201", "n=18446744073709551616"})
    EXPECT_FALSE(number(query, kAnyNumber).ok()) << query;
}

}  // namespace
}  // namespace lazaret::rest
