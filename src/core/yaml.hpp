#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "lazaret/result.hpp"

namespace lazaret::core {

/// One YAML document as a tree, scalars typed by the core schema of YAML 1.2. Refused: duplicate
/// keys, keys that are not plain text, anchors, aliases, tags, several documents, nesting beyond
/// 32, more than 1 MiB. An empty document is an empty object. `name` goes into messages.
/// Errors: invalid_argument, too_large.
[[nodiscard]] Result<nlohmann::json> parse_yaml(std::string_view text, std::string_view name);

}  // namespace lazaret::core
