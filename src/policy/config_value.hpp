#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lazaret/result.hpp"
#include "policy/quantity.hpp"

namespace lazaret::policy {

/// A list of words, or one text of words between commas, as the environment has it; 256 at most.
/// Errors: invalid_argument.
[[nodiscard]] Result<std::vector<std::string>> words_of(const nlohmann::json& value);
/// A number, or a text such as 30s or 512MiB, in the unit's own measure; a bare time is in seconds.
/// Errors: invalid_argument.
[[nodiscard]] Result<double> amount_of(Unit unit, const nlohmann::json& value);

}  // namespace lazaret::policy
