#pragma once

#include <string>
#include <string_view>

namespace lazaret::core {

/// Without the CSI sequences of ECMA-48, colours among them, which have no place in a message.
[[nodiscard]] std::string without_colours(std::string_view text);

}  // namespace lazaret::core
