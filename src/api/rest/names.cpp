#include "api/rest/names.hpp"

#include <algorithm>
#include <random>

namespace lazaret::rest {

std::string new_id() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::random_device source;
  std::string id;
  for (int word = 0; word < 4; ++word) {
    auto bits = source();
    for (int digit = 0; digit < 8; ++digit, bits >>= 4) id += kDigits[bits & 15U];
  }
  return id;
}

bool is_request_id(std::string_view text) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  return !text.empty() && text.size() <= 64 && text.find_first_not_of(kAllowed) == text.npos;
}

}  // namespace lazaret::rest
