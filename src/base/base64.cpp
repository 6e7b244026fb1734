#include "base/base64.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace lazaret {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNone = 64;

constexpr std::array<std::uint8_t, 256> kValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNone);
  for (std::uint8_t value = 0; value < kAlphabet.size(); ++value)
    values[static_cast<unsigned char>(kAlphabet[value])] = value;
  return values;
}();

std::size_t padding_of(std::string_view text) {
  return text.ends_with("==") ? 2 : (text.ends_with('=') ? 1 : 0);
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(3, bytes.size()))) {
    std::uint32_t group = 0;
    for (std::size_t index = 0; index < 3; ++index)
      group = group << 8 | (index < bytes.size() ? static_cast<unsigned char>(bytes[index]) : 0U);
    for (std::size_t index = 0; index < 4; ++index)
      text += index <= bytes.size() ? kAlphabet[group >> (18 - 6 * index) & 63] : '=';
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = padding_of(text);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  for (std::size_t index = 0; index < text.size(); ++index) {
    const bool is_padding = index >= text.size() - padding;
    const std::uint8_t value = is_padding ? 0 : kValues[static_cast<unsigned char>(text[index])];
    if (value == kNone) return std::nullopt;
    group = group << 6 | value;
    if (index % 4 != 3) continue;
    for (int shift = 16; shift >= 0; shift -= 8) bytes += static_cast<char>(group >> shift & 255);
    group = 0;
  }
  const bool is_clean = padding == 0 || bytes.ends_with(std::string(padding, '\0'));
  if (!is_clean) return std::nullopt;
  bytes.resize(bytes.size() - padding);
  return bytes;
}

}  // namespace lazaret
