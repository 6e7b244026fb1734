#include "policy/config_value.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "policy/invalid.hpp"

namespace lazaret::policy {

using nlohmann::json;

Result<std::vector<std::string>> words_of(const json& value) {
  constexpr std::size_t kMost = 256;
  std::vector<std::string> words;
  if (value.is_string()) {
    const auto text = value.get<std::string>();
    for (std::size_t begin = 0; begin <= text.size();) {
      const auto end = std::min(text.find(',', begin), text.size());
      if (end > begin) words.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  } else if (value.is_array()) {
    for (const auto& element : value) {
      if (!element.is_string()) return invalid("must be a list of texts");
      words.push_back(element.get<std::string>());
    }
  } else {
    return invalid("must be a list");
  }
  if (words.size() > kMost) return invalid("has more than 256 elements");
  return words;
}

Result<double> amount_of(Unit unit, const json& value) {
  if (value.is_string()) return parse_quantity(value.get<std::string>(), unit);
  if (!value.is_number()) return invalid("must be a number or a text such as 30s or 512MiB");
  const auto number = value.get<double>();
  const bool whole = unit == Unit::bytes || unit == Unit::count || unit == Unit::seconds;
  if (whole && !value.is_number_integer()) return invalid("must be a whole number");
  return unit == Unit::milliseconds ? number * 1000 : number;  // a bare time is in seconds
}

}  // namespace lazaret::policy
