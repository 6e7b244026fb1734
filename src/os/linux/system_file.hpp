#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "os/handle.hpp"

namespace lazaret::os {

inline constexpr std::size_t kMostSystemFileBytes = 64UL << 10;

/// Gives what a file of the kernel's says, about 64 KiB of it at most, piece by piece to
/// `take(std::string_view)`; nothing where it cannot be read.
template <typename Take>
void read_system_file(RawHandle folder, const char* name, const Take& take) {
  const Handle file(::openat(folder, name, O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> part;
  for (std::size_t all = 0; file.valid() && all < kMostSystemFileBytes;) {
    const ssize_t count = ::read(file.get(), part.data(), part.size());
    if (count <= 0) break;
    all += static_cast<std::size_t>(count);
    take(std::string_view(part.data(), static_cast<std::size_t>(count)));
  }
}

/// The same as one text.
[[nodiscard]] std::string text_of_system_file(RawHandle folder, const char* name);
/// The number that stands there, behind blanks; nothing where none does.
[[nodiscard]] std::optional<std::uint64_t> number_at(std::string_view text, std::size_t at,
                                                     int base);

}  // namespace lazaret::os
