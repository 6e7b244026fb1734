#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "lazaret/result.hpp"

/// Reading an engine's JSON without trusting its shape: a member that is missing or of another
/// type reads as empty. Errors are values; nothing throws.
namespace lazaret::engine {

/// Errors: protocol.
[[nodiscard]] Result<nlohmann::json> parse_json(std::string_view text);
/// As parse_json, and the value is an object.
[[nodiscard]] Result<nlohmann::json> parse_object(std::string_view text);
/// Errors: invalid_argument when a string is not UTF-8.
[[nodiscard]] Result<std::string> json_text(const nlohmann::json& value);

/// The member itself, or null.
[[nodiscard]] const nlohmann::json& member(const nlohmann::json& object, const char* name);
[[nodiscard]] std::string text_at(const nlohmann::json& object, const char* name);
[[nodiscard]] std::optional<std::int64_t> number_at(const nlohmann::json& object,
                                                    const char* name);
[[nodiscard]] std::optional<bool> flag_at(const nlohmann::json& object, const char* name);
[[nodiscard]] std::vector<std::string> texts_at(const nlohmann::json& object, const char* name);
[[nodiscard]] std::map<std::string, std::string> labels_at(const nlohmann::json& object,
                                                           const char* name);
/// {"name":["value"]}, the shape of every `filters` parameter; empty when there is none.
/// Errors: invalid_argument when a string is not UTF-8.
[[nodiscard]] Result<std::string> filters_of(
    const std::map<std::string, std::vector<std::string>>& filters);

}  // namespace lazaret::engine
