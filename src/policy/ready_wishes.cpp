#include "policy/ready_wishes.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/try.hpp"
#include "policy/config_value.hpp"
#include "policy/invalid.hpp"
#include "policy/quantity.hpp"

namespace lazaret::policy {
namespace {

using nlohmann::json;

constexpr double kMostOfOne = 256;

class Wishes {
 public:
  explicit Wishes(const Config& config) : config_(config) {}

  Status add(const json& wish) {
    if (wish.is_object()) return add_request(wish);
    LAZARET_TRY(const auto words, words_of(wish));
    for (const std::string& word : words) LAZARET_CHECK(add_word(word));
    return {};
  }
  std::map<std::string, std::uint32_t> all;

 private:
  Status add_request(json wish) {
    const auto count = wish.find("count");
    if (count == wish.end()) return invalid("needs the count of those that are to wait");
    const json number = *count;
    wish.erase(count);
    return add_named(wish.dump(), number);
  }

  Status add_word(const std::string& word) {
    const std::size_t colon = std::min(word.find(':'), word.size());
    const std::string language = word.substr(0, colon);
    if (language == "exec" || !config_.images.contains(language))
      return invalid(in_quotes(language) + " is no language that can wait");
    return add_named(language, colon == word.size() ? json(1) : json(word.substr(colon + 1)));
  }

  Status add_named(const std::string& name, const json& number) {
    LAZARET_TRY(const double count, amount_of(Unit::count, number));
    if (count < 1 || count > kMostOfOne) return invalid("so many of a kind: from 1 to 256");
    if (!all.emplace(name, static_cast<std::uint32_t>(count)).second)
      return invalid(in_quotes(name) + " is there twice");
    return {};
  }

  const Config& config_;
};

}  // namespace

Result<std::map<std::string, std::uint32_t>> ready_wishes(const json& value, const Config& config) {
  Wishes wishes(config);
  if (!value.is_array()) {
    if (!value.is_string()) return invalid("must be a list");
    LAZARET_CHECK(wishes.add(value));
  } else {
    for (const json& wish : value) LAZARET_CHECK(wishes.add(wish));
  }
  return std::move(wishes.all);
}

std::string show_wishes(const std::map<std::string, std::uint32_t>& wishes) {
  std::string text;
  for (const auto& [name, count] : wishes)
    text += (text.empty() ? "" : ",") + name + ":" + std::to_string(count);
  return text;
}

}  // namespace lazaret::policy
