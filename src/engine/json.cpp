#include "engine/json.hpp"

#include <exception>
#include <limits>

#include <nlohmann/json.hpp>

namespace lazaret::engine {

using nlohmann::json;

Result<json> parse_json(std::string_view text) {
  json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return Error(Errc::protocol, "the engine's answer is not JSON");
  return value;
}

Result<json> parse_object(std::string_view text) {
  auto value = parse_json(text);
  if (value.ok() && !value->is_object()) {
    return Error(Errc::protocol, "the engine's answer is not a JSON object");
  }
  return value;
}

Result<std::string> json_text(const json& value) {
  try {
    return value.dump();
  } catch (const std::exception&) {
    return Error(Errc::invalid_argument, "a string of the request is not UTF-8");
  }
}

const json& member(const json& object, const char* name) {
  static const json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(name);
  return found == object.end() ? kNull : *found;
}

std::string text_at(const json& object, const char* name) {
  const json& value = member(object, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::optional<std::int64_t> number_at(const json& object, const char* name) {
  const json& value = member(object, name);
  if (!value.is_number_integer()) return std::nullopt;
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > kMost) return std::nullopt;
  return value.get<std::int64_t>();
}

std::optional<bool> flag_at(const json& object, const char* name) {
  const json& value = member(object, name);
  if (!value.is_boolean()) return std::nullopt;
  return value.get<bool>();
}

std::vector<std::string> texts_at(const json& object, const char* name) {
  std::vector<std::string> texts;
  const json& value = member(object, name);
  if (!value.is_array()) return texts;
  for (const json& item : value) {
    if (item.is_string()) texts.push_back(item.get<std::string>());
  }
  return texts;
}

std::map<std::string, std::string> labels_at(const json& object, const char* name) {
  std::map<std::string, std::string> labels;
  const json& value = member(object, name);
  if (!value.is_object()) return labels;
  for (const auto& [key, item] : value.items()) {
    if (item.is_string()) labels.emplace(key, item.get<std::string>());
  }
  return labels;
}

Result<std::string> filters_of(const std::map<std::string, std::vector<std::string>>& filters) {
  json object = json::object();
  for (const auto& [name, values] : filters) {
    if (!values.empty()) object[name] = values;
  }
  if (object.empty()) return std::string();
  return json_text(object);
}

}  // namespace lazaret::engine
