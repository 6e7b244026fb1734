#include "os/random.hpp"

#include <string_view>

namespace lazaret::os {

std::string random_hex(std::size_t digits) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (std::uint32_t left = 0; text.size() < digits; left >>= 4U) {
    if (text.size() % 8 == 0) left = random_word();
    text += kDigits[left & 15U];
  }
  return text;
}

}  // namespace lazaret::os
