#include "os/linux/system_file.hpp"

#include <algorithm>
#include <charconv>

namespace lazaret::os {
namespace {

constexpr std::size_t kSmall = 2048;  // behind which seldom more comes

}  // namespace

std::string text_of_system_file(RawHandle folder, const char* name) {
  std::string text;
  read_system_file(folder, name, [&text](std::string_view piece) {
    if (piece.size() > kSmall) text.reserve(text.size() + 8192);
    text.append(piece);
  });
  return text;
}

std::optional<std::uint64_t> number_at(std::string_view text, std::size_t at, int base) {
  at = std::min(text.find_first_not_of(" \t", at), text.size());
  std::uint64_t number = 0;
  const auto end = std::from_chars(text.data() + at, text.data() + text.size(), number, base);
  if (end.ec != std::errc{}) return std::nullopt;
  return number;
}

}  // namespace lazaret::os
