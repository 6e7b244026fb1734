#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "places.hpp"
#include "policy/config.hpp"

namespace lazaret::policy {
namespace {

using nlohmann::json;

json published_schema() {
  return json::parse(std::ifstream(lazaret::test::in_checkout("config/lazaret.schema.json")));
}

void collect(const json& schema, const std::string& prefix, std::set<std::string>& keys) {
  for (const auto& [name, child] : schema.at("properties").items()) {
    const auto path = prefix + name;
    if (child.contains("properties")) {
      collect(child, path + ".", keys);
      continue;
    }
    keys.insert(path);
  }
}

TEST(Schema, HasExactlyTheKeysOfTheCode) {
  std::set<std::string> published;
  collect(published_schema(), "", published);
  const auto known = config_keys();
  EXPECT_EQ(published, std::set<std::string>(known.begin(), known.end()));
}

TEST(Schema, NamesEveryControl) {
  const auto schema = published_schema();
  const auto& names =
      schema.at("properties").at("required_controls").at("oneOf").at(0).at("items").at("enum");
  std::vector<std::string> known;
  for (const auto control : all_controls()) known.emplace_back(name_of(control));
  EXPECT_EQ(names.get<std::vector<std::string>>(), known);
}

}  // namespace
}  // namespace lazaret::policy
