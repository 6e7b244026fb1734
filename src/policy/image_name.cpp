#include "policy/image_name.hpp"

#include <algorithm>

namespace lazaret::policy {
namespace {

using namespace std::string_view_literals;

bool is_lower(char letter) noexcept { return letter >= 'a' && letter <= 'z'; }
bool is_digit(char letter) noexcept { return letter >= '0' && letter <= '9'; }
bool is_letter(char letter) noexcept {
  return is_lower(letter) || (letter >= 'A' && letter <= 'Z');
}
bool is_hex(char letter) noexcept { return is_digit(letter) || (letter >= 'a' && letter <= 'f'); }
bool is_alphanumeric(char letter) noexcept { return is_letter(letter) || is_digit(letter); }

bool is_digest(std::string_view text) noexcept {
  const auto colon = text.find(':');
  if (colon == text.npos || colon == 0 || !is_letter(text.front())) return false;
  const auto hex = text.substr(colon + 1);
  return std::ranges::all_of(text.substr(0, colon), is_alphanumeric) && hex.size() >= 32 &&
         hex.size() <= 128 && std::ranges::all_of(hex, is_hex);
}

bool is_tag(std::string_view text) noexcept {
  if (text.empty() || text.size() > 128) return false;
  if (text.front() == '.' || text.front() == '-') return false;
  return std::ranges::all_of(text, [](char letter) {
    return is_alphanumeric(letter) || letter == '_' || letter == '.' || letter == '-';
  });
}

bool is_host(std::string_view text) noexcept {
  const auto colon = text.find(':');
  const auto name = text.substr(0, colon);
  if (colon != text.npos) {
    const auto port = text.substr(colon + 1);
    if (port.empty() || port.size() > 5 || !std::ranges::all_of(port, is_digit)) return false;
  }
  if (name.empty() || !is_alphanumeric(name.front()) || !is_alphanumeric(name.back())) return false;
  return name.find("..") == name.npos && std::ranges::all_of(name, [](char letter) {
    return is_alphanumeric(letter) || letter == '.' || letter == '-';
  });
}

/// Lower-case words joined by one ".", one or two "_", or any number of "-".
bool is_component(std::string_view text) noexcept {
  const auto is_word = [](char letter) { return is_lower(letter) || is_digit(letter); };
  if (text.empty() || !is_word(text.front()) || !is_word(text.back())) return false;
  for (auto rest = text; !rest.empty();) {
    rest.remove_prefix(std::min(rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789"),
                                rest.size()));
    const auto length = std::min(
        rest.find_first_of("abcdefghijklmnopqrstuvwxyz0123456789"), rest.size());
    const auto joint = rest.substr(0, length);
    if (!joint.empty() && joint != "."sv && joint != "_"sv && joint != "__"sv &&
        joint.find_first_not_of('-') != joint.npos) {
      return false;
    }
    rest.remove_prefix(length);
  }
  return true;
}

bool is_path(std::string_view text) noexcept {
  const auto slash = text.find('/');
  const auto first = text.substr(0, slash);
  const bool has_host = slash != text.npos && (first.find_first_of(".:") != first.npos ||
                                               first == "localhost"sv);
  if (has_host && !is_host(first)) return false;
  if (has_host) text.remove_prefix(slash + 1);
  while (true) {
    const auto end = text.find('/');
    if (!is_component(text.substr(0, end))) return false;
    if (end == text.npos) return true;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

bool is_image_reference(std::string_view text) noexcept {
  constexpr std::size_t kLongest = 512;
  if (text.size() > kLongest) return false;
  if (const auto at = text.find('@'); at != text.npos) {
    if (!is_digest(text.substr(at + 1))) return false;
    text = text.substr(0, at);
  }
  const auto colon = text.rfind(':');
  const auto slash = text.rfind('/');
  if (colon != text.npos && (slash == text.npos || colon > slash)) {
    if (!is_tag(text.substr(colon + 1))) return false;
    text = text.substr(0, colon);
  }
  return is_path(text);
}

}  // namespace lazaret::policy
