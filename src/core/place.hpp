#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lazaret::core {

/// The line that a text begins with the number of; nothing for what cannot be one.
[[nodiscard]] inline std::optional<std::uint32_t> line_at_start_of(std::string_view text) {
  constexpr std::uint32_t kMost = 1U << 24;
  std::uint32_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc{} || number == 0 || number > kMost) return std::nullopt;
  return number;
}

/// What a language may call an error: as it is, unless it is empty or longer than any name.
[[nodiscard]] inline std::optional<std::string> name_from(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  if (text.empty() || text.size() > kLongest) return std::nullopt;
  return std::string(text);
}

/// The one that stands behind the first `mark` that has one, e.g. 7 in "main.c:7:2" behind
/// "main.c:".
[[nodiscard]] inline std::optional<std::uint32_t> line_after(std::string_view text,
                                                             std::string_view mark) {
  for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
    if (const auto line = line_at_start_of(text.substr(at + mark.size()))) return line;
  }
  return std::nullopt;
}

}  // namespace lazaret::core
