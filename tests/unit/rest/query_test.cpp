#include "api/rest/query.hpp"

#include <gtest/gtest.h>

namespace lazaret::rest {
namespace {

std::string path_in(std::string_view query) {
  const auto parameters = parameters_of(query, {"path", "other"});
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
  EXPECT_EQ(parameters_of("other=%26&path=a", {"path", "other"})->at("other"), "&");
}

TEST(Query, RefusesAnotherParameterOneTwiceAndWhatCannotBeDecoded) {
  for (const char* const query : {"third=a", "path", "&path=a", "path=a&path=a", "path=a&third=b",
                                  "path=%", "path=%2", "path=%2x", "path=%-1", "path=% 1"})
    EXPECT_EQ(path_in(query), "error") << query;
}

}  // namespace
}  // namespace lazaret::rest
