#include "engine/url.hpp"

#include <gtest/gtest.h>

namespace lazaret::engine {
namespace {

TEST(EngineTarget, PutsTheVersionInFront) {
  EXPECT_EQ(*Target("info").build("1.41"), "/v1.41/info");
}

TEST(EngineTarget, LeavesTheVersionOutWhenThereIsNone) {
  EXPECT_EQ(*Target("_ping").build(""), "/_ping");
}

TEST(EngineTarget, EncodesEverythingThatIsNotPlain) {
  const auto target =
      Target("containers").id("a?b#c d%").query("k&", "v=1&x=\n\xc3\xa9").build("1.41");
  EXPECT_EQ(*target, "/v1.41/containers/a%3Fb%23c%20d%25?k%26=v%3D1%26x%3D%0A%C3%A9");
}

TEST(EngineTarget, RefusesAnEmptyIdBecauseItWouldNameAnotherCall) {
  const auto target = Target("containers").id("").build("1.41");
  ASSERT_FALSE(target.ok());
  EXPECT_EQ(target.error().code(), Errc::invalid_argument);
}

TEST(EngineTarget, RefusesAnIdThatClimbs) {
  EXPECT_FALSE(Target("containers").id("..").build("1.41").ok());
  EXPECT_FALSE(Target("containers").id(".").build("1.41").ok());
}

TEST(EngineTarget, RefusesASlashInAnId) {
  EXPECT_FALSE(Target("containers").id("a/../../images").build("1.41").ok());
}

TEST(EngineTarget, RefusesControlCharactersInAnId) {
  EXPECT_FALSE(Target("containers").id("a\r\nHost: x").build("1.41").ok());
  EXPECT_FALSE(Target("containers").id(std::string_view("a\0b", 3)).build("1.41").ok());
}

TEST(EngineTarget, KeepsTheSlashesOfAnImageReference) {
  const auto target = Target("images").reference("docker.io/library/bb:1").word("json").build("");
  EXPECT_EQ(*target, "/images/docker.io/library/bb%3A1/json");
}

TEST(EngineTarget, RefusesAReferenceWithAnEmptyPartOrOneThatClimbs) {
  EXPECT_FALSE(Target("images").reference("a//b").build("").ok());
  EXPECT_FALSE(Target("images").reference("a/../b").build("").ok());
  EXPECT_FALSE(Target("images").reference("/a").build("").ok());
  EXPECT_FALSE(Target("images").reference("").build("").ok());
}

TEST(EngineTarget, LeavesOutAParameterThatIsEmptyWhenAsked) {
  EXPECT_EQ(*Target("x").query_if("a", "").query_if("b", "1").build(""), "/x?b=1");
}

}  // namespace
}  // namespace lazaret::engine
