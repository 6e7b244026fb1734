#include "base/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace lazaret {
namespace {

struct Step {
  std::size_t length;  // bytes consumed
  bool well_formed;
};

struct Lead {
  unsigned char first, last;              // range of the lead byte
  unsigned char second_low, second_high;  // range of the byte after it
  std::size_t length;
};

// Unicode 15, table 3-7.
constexpr std::array kLeads = {
    Lead{0xC2, 0xDF, 0x80, 0xBF, 2}, Lead{0xE0, 0xE0, 0xA0, 0xBF, 3},
    Lead{0xE1, 0xEC, 0x80, 0xBF, 3}, Lead{0xED, 0xED, 0x80, 0x9F, 3},
    Lead{0xEE, 0xEF, 0x80, 0xBF, 3}, Lead{0xF0, 0xF0, 0x90, 0xBF, 4},
    Lead{0xF1, 0xF3, 0x80, 0xBF, 4}, Lead{0xF4, 0xF4, 0x80, 0x8F, 4},
};

unsigned char byte_at(std::string_view text, std::size_t index) noexcept {
  return static_cast<unsigned char>(text[index]);
}

const Lead* lead_of(unsigned char byte) noexcept {
  const auto* const found = std::find_if(kLeads.begin(), kLeads.end(), [byte](const Lead& lead) {
    return byte >= lead.first && byte <= lead.last;
  });
  return found == kLeads.end() ? nullptr : found;
}

// The next character, or the maximal ill-formed part. `text` is not empty.
Step next(std::string_view text) noexcept {
  const unsigned char first = byte_at(text, 0);
  if (first < 0x80) return {1, true};
  const Lead* const lead = lead_of(first);
  if (lead == nullptr) return {1, false};
  for (std::size_t index = 1; index < lead->length; ++index) {
    if (index >= text.size()) return {index, false};
    const unsigned char low = index == 1 ? lead->second_low : 0x80;
    const unsigned char high = index == 1 ? lead->second_high : 0xBF;
    if (byte_at(text, index) < low || byte_at(text, index) > high) return {index, false};
  }
  return {lead->length, true};
}

// Of a well-formed character.
char32_t code_of(std::string_view character) noexcept {
  const unsigned char first = byte_at(character, 0);
  if (character.size() == 1) return first;
  char32_t code = first & (0x7FU >> character.size());
  for (std::size_t index = 1; index < character.size(); ++index)
    code = code << 6 | (byte_at(character, index) & 0x3FU);
  return code;
}

bool is_printable(char32_t code) noexcept {
  struct Range {
    char32_t first, last;
  };
  // Unicode 15: category Cc, Zl, Zp, and Bidi_Control.
  constexpr std::array kHidden = {Range{0x00, 0x1F},     Range{0x7F, 0x9F},
                                  Range{0x61C, 0x61C},   Range{0x200E, 0x200F},
                                  Range{0x2028, 0x202E}, Range{0x2066, 0x2069}};
  return std::none_of(kHidden.begin(), kHidden.end(), [code](const Range& range) {
    return code >= range.first && code <= range.last;
  });
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const Step step = next(text);
    if (!step.well_formed) return false;
    text.remove_prefix(step.length);
  }
  return true;
}

std::string to_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const Step step = next(bytes);
    text.append(step.well_formed ? bytes.substr(0, step.length) : std::string_view("\xEF\xBF\xBD"));
    bytes.remove_prefix(step.length);
  }
  return text;
}

std::string printable(std::string_view bytes, char instead) {
  const std::string text = to_utf8(bytes);
  std::string shown;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view character = rest.substr(0, next(rest).length);
    if (is_printable(code_of(character))) {
      shown += character;
    } else {
      shown += instead;
    }
    rest.remove_prefix(character.size());
  }
  return shown;
}

std::size_t whole_prefix(std::string_view bytes) noexcept {
  for (std::size_t back = 1; back <= 3 && back <= bytes.size(); ++back) {
    const std::size_t at = bytes.size() - back;
    if ((byte_at(bytes, at) & 0xC0) == 0x80) continue;
    const Lead* const lead = lead_of(byte_at(bytes, at));
    return lead != nullptr && lead->length > back ? at : bytes.size();
  }
  return bytes.size();
}

std::size_t first_boundary(std::string_view bytes) noexcept {
  std::size_t at = 0;
  while (at < bytes.size() && at < 3 && (byte_at(bytes, at) & 0xC0) == 0x80) ++at;
  return at;
}

}  // namespace lazaret
