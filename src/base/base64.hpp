#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lazaret {

/// RFC 4648, section 4, with padding.
[[nodiscard]] std::string to_base64(std::string_view bytes);
/// What such a text stands for; nothing for one that to_base64() cannot have made.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace lazaret
