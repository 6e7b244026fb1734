#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lazaret {

/// The whole text as a number, digits alone (and '-' for signed types), or nothing.
template <typename Number = std::uint64_t>
[[nodiscard]] std::optional<Number> parse_number(std::string_view text, int base = 10) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace lazaret
