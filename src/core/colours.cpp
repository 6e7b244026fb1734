#include "core/colours.hpp"

#include <algorithm>

namespace lazaret::core {
namespace {

constexpr char kEscape = '\x1b', kBell = '\a';

// ESC ] and what follows up to BEL or ESC \, such as the target of a link.
std::size_t after_command(std::string_view text, std::size_t at) {
  for (; at < text.size(); ++at) {
    if (text[at] == kBell) return at + 1;
    if (text[at] == kEscape) return at + 1 < text.size() && text[at + 1] == '\\' ? at + 2 : at;
  }
  return at;
}

// Up to a letter of this range, and with it.
std::size_t after_final(std::string_view text, std::size_t at, char first) {
  while (at < text.size() && (text[at] < first || text[at] > '~')) ++at;
  return std::min(at + 1, text.size());
}

// `at` is that of an ESC. ECMA-48, 5.3 and 5.4; ECMA-35, 13.2.1.
std::size_t after_sequence(std::string_view text, std::size_t at) {
  const char next = at + 1 < text.size() ? text[at + 1] : '\0';
  if (next == '[') return after_final(text, at + 2, '@');
  if (next == ']') return after_command(text, at + 2);
  if (next >= ' ' && next <= '/') return after_final(text, at + 2, '0');
  return at + (next >= '0' && next <= '~' ? 2 : 1);
}

}  // namespace

std::string without_colours(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == kEscape)
      at = after_sequence(text, at);
    else
      plain += text[at++];
  }
  return plain;
}

}  // namespace lazaret::core
