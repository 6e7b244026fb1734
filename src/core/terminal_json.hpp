#pragma once

#include <nlohmann/json_fwd.hpp>

#include "lazaret/result.hpp"
#include "lazaret/terminal.hpp"

namespace lazaret::core {

/// {"rows": …, "columns": …}, both of them or neither, which is 24 and 80. Errors:
/// invalid_argument.
[[nodiscard]] Result<TerminalSize> terminal_of(const nlohmann::json& object);
[[nodiscard]] nlohmann::json json_of(const TerminalSize& size);

}  // namespace lazaret::core
