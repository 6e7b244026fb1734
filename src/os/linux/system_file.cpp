#include "os/linux/system_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>

namespace lazaret::os {
namespace {

constexpr std::size_t kMostFileBytes = 64UL << 10;

}  // namespace

std::string text_of_system_file(RawHandle folder, const char* name) {
  const Handle file(::openat(folder, name, O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> part;
  while (file.valid() && text.size() < kMostFileBytes) {
    const ssize_t count = ::read(file.get(), part.data(), part.size());
    if (count <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace lazaret::os
