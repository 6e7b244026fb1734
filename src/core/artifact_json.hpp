#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "lazaret/execution_result.hpp"
#include "lazaret/result.hpp"

namespace lazaret::core {

/// What a stream says of an artifact before its content: `type`, `executable` if it is, and `path`,
/// or `path_base64` where that is not UTF-8.
[[nodiscard]] nlohmann::ordered_json head_json(const Artifact& artifact);
/// The same back. Errors: protocol.
[[nodiscard]] Result<Artifact> head_of(std::string_view document);

}  // namespace lazaret::core
