#include "core/yaml.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "places.hpp"
#include "policy/config.hpp"

namespace lazaret::core {
namespace {

using nlohmann::json;

json tree_of(std::string_view text) { return parse_yaml(text, "x.yaml").value(); }
bool is_refused(std::string_view text) { return !parse_yaml(text, "x.yaml").ok(); }

TEST(Yaml, TypesScalarsByTheCoreSchema) {
  EXPECT_EQ(tree_of("a: 1\nb: -2.5\nc: true\nd: yes\ne: ~\nf: 'true'\ng: \"1\"\nh: 0x10\ni: 0o17\n"
                    "j: 1e3\nk: 010\nl: 30s\nm: nan\nn: '- x'"),
            (json{{"a", 1},
                  {"b", -2.5},
                  {"c", true},
                  {"d", "yes"},
                  {"e", nullptr},
                  {"f", "true"},
                  {"g", "1"},
                  {"h", 16},
                  {"i", 15},
                  {"j", 1000.0},
                  {"k", 10},
                  {"l", "30s"},
                  {"m", "nan"},
                  {"n", "- x"}}));
}

TEST(Yaml, ReadsNestedCollections) {
  EXPECT_EQ(tree_of("a:\n  b: [x, {c: 1}]\n  d: []\n  e: {}\n"),
            (json{{"a", {{"b", {"x", {{"c", 1}}}}, {"d", json::array()}, {"e", json::object()}}}}));
}

TEST(Yaml, TakesAnEmptyDocumentForAnEmptyObject) {
  EXPECT_EQ(tree_of(""), json::object());
  EXPECT_EQ(tree_of("# only a remark\n"), json::object());
  EXPECT_EQ(tree_of("---\n"), json::object());
}

TEST(Yaml, RefusesDuplicateKeys) { EXPECT_TRUE(is_refused("a: 1\na: 2\n")); }
TEST(Yaml, RefusesAnchors) { EXPECT_TRUE(is_refused("a: &x 1\n")); }
TEST(Yaml, RefusesAliases) { EXPECT_TRUE(is_refused("a: &x [1]\nb: *x\n")); }
TEST(Yaml, RefusesTags) { EXPECT_TRUE(is_refused("a: !!str 1\n")); }
TEST(Yaml, RefusesKeysThatAreCollections) { EXPECT_TRUE(is_refused("[a]: 1\n")); }
TEST(Yaml, RefusesEmptyKeys) { EXPECT_TRUE(is_refused("'': 1\n")); }
TEST(Yaml, RefusesSeveralDocuments) { EXPECT_TRUE(is_refused("a: 1\n---\nb: 2\n")); }
TEST(Yaml, RefusesWhatIsNotUtf8) { EXPECT_TRUE(is_refused("a: \xff\n")); }
TEST(Yaml, RefusesBrokenText) {
  EXPECT_TRUE(is_refused("a: [1\n"));
  EXPECT_TRUE(is_refused("\tb: 1\n c"));
}

TEST(Yaml, NestsToThirtyTwoAndNotOneDeeper) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_FALSE(is_refused(nested(32)));
  EXPECT_TRUE(is_refused(nested(33)));
  EXPECT_TRUE(is_refused(nested(500'000)));
}

TEST(Yaml, IsNotOverrunByDeepBlocks) {
  std::string dashes;
  for (int i = 0; i < 300'000; ++i) dashes += "- ";
  EXPECT_TRUE(is_refused(dashes + "x"));
  EXPECT_TRUE(is_refused(std::string(400'000, '[')));
}

TEST(Yaml, TakesOneMebibyteAndNotAByteMore) {
  const std::string text = "a: 1\n#" + std::string((1 << 20) - 6, 'x');
  EXPECT_FALSE(is_refused(text));
  const auto larger = parse_yaml(text + "x", "x.yaml");
  ASSERT_FALSE(larger.ok());
  EXPECT_EQ(larger.error().code(), Errc::too_large);
}

TEST(Yaml, SaysWhereTheTroubleIs) {
  const auto result = parse_yaml("a: 1\nb: 2\na: 3\n", "x.yaml");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message(), "x.yaml:3:1: the key a occurs twice");
}

TEST(ExampleFile, SaysWhatIsBuiltInAnyway) {
  std::ifstream stream(lazaret::test::in_checkout("config/lazaret.example.yaml"));
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  ASSERT_FALSE(text.empty());
  const auto tree = parse_yaml(text, "example");
  ASSERT_TRUE(tree.ok()) << tree.error().message();
  const SandboxOptions flags;
  const auto config =
      policy::merge({flags, nullptr, {{policy::Origin::user_file, "example", tree.value()}}});
  ASSERT_TRUE(config.ok()) << config.error().message();
  const auto built_in = policy::rows_of(policy::Config{});
  const auto shown = policy::rows_of(config.value());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    EXPECT_EQ(shown[i].value, built_in[i].value) << shown[i].key;
  }
}

}  // namespace
}  // namespace lazaret::core
