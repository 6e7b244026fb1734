#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lazaret {

/// RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;
/// The text with each maximal ill-formed part replaced by U+FFFD (Unicode 3.9, practice of W3C).
[[nodiscard]] std::string to_utf8(std::string_view bytes);
/// Foreign text for a terminal or a log: to_utf8(), with `instead` for each control character (C0,
/// DEL and C1), line or paragraph separator and mark that turns the direction of what follows.
[[nodiscard]] std::string printable(std::string_view bytes, char instead);
/// Length of the longest prefix that does not end within a character.
[[nodiscard]] std::size_t whole_prefix(std::string_view bytes) noexcept;
/// Where the first character begins: continuation bytes at the front (at most 3) are skipped.
[[nodiscard]] std::size_t first_boundary(std::string_view bytes) noexcept;

}  // namespace lazaret
