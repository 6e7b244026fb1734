#pragma once

#include <string>
#include <string_view>

namespace lazaret {

/// Of ASCII letters, whatever the locale; others stay as they are.
[[nodiscard]] constexpr char lower_case(char letter) noexcept {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

[[nodiscard]] inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower) letter = lower_case(letter);
  return lower;
}

}  // namespace lazaret
