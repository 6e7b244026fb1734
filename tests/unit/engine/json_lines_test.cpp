#include "engine/json_lines.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lazaret::engine {
namespace {

TEST(EngineJsonLines, GivesEachObjectWhateverThePieces) {
  const std::string text = "{\"a\":1}\r\n\n\x1e{\"a\":2}\n{\"a\":3}";
  std::string seen;
  JsonLines lines([&seen](const nlohmann::json& line) -> Status {
    seen += line["a"].dump();
    return {};
  });
  for (std::size_t at = 0; at < text.size(); ++at) {
    ASSERT_TRUE(lines.feed(bytes_of(text).subspan(at, 1)).ok());
  }
  EXPECT_EQ(seen, "12");
  ASSERT_TRUE(lines.finish().ok());
  EXPECT_EQ(seen, "123");
}

TEST(EngineJsonLines, RefusesWhatIsNotAnObject) {
  JsonLines lines([](const nlohmann::json&) -> Status { return {}; });
  const Status status = lines.feed(bytes_of("[1]\n"));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), Errc::protocol);
}

TEST(EngineJsonLines, RefusesALineCutInTheMiddle) {
  JsonLines lines([](const nlohmann::json&) -> Status { return {}; });
  ASSERT_TRUE(lines.feed(bytes_of("{\"a\":")).ok());
  EXPECT_FALSE(lines.finish().ok());
}

TEST(EngineJsonLines, RefusesALineWithoutEnd) {
  JsonLines lines([](const nlohmann::json&) -> Status { return {}; });
  const std::string piece(1UL << 20, ' ');
  ASSERT_TRUE(lines.feed(bytes_of(piece)).ok());
  const Status status = lines.feed(bytes_of(" "));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), Errc::too_large);
}

TEST(EngineJsonLines, SurvivesDeepNesting) {
  JsonLines lines([](const nlohmann::json&) -> Status { return {}; });
  const std::string open(500'000, '[');
  const std::string close(500'000, ']');
  const std::string deep = "{\"a\":" + open + close + "}\n";
  EXPECT_TRUE(lines.feed(bytes_of(deep)).ok());
}

}  // namespace
}  // namespace lazaret::engine
