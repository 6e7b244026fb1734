#pragma once

#include <string>
#include <string_view>

namespace lazaret::core {

/// Without what a terminal would obey: the sequences that begin with ESC (ECMA-48, ECMA-35),
/// colours and links among them.
[[nodiscard]] std::string without_colours(std::string_view text);

}  // namespace lazaret::core
