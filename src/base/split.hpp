#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace lazaret {

/// The parts of a text that end at a separator or at its end; views into the text. What follows the
/// last separator is a part only if there is something.
[[nodiscard]] inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

}  // namespace lazaret
