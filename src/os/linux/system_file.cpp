#include "os/linux/system_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace lazaret::os {
namespace {

constexpr std::size_t kMostFileBytes = 64UL << 10;
constexpr ssize_t kSmall = 2048;  // behind which seldom more comes

}  // namespace

std::string text_of_system_file(RawHandle folder, const char* name) {
  const Handle file(::openat(folder, name, O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> part;
  while (file.valid() && text.size() < kMostFileBytes) {
    const ssize_t count = ::read(file.get(), part.data(), part.size());
    if (count <= 0) break;
    if (count > kSmall) text.reserve(text.size() + 2 * part.size());
    text.append(part.data(), static_cast<std::size_t>(count));
  }
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
