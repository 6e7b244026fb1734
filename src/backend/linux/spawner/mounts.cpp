#include "backend/linux/spawner/mounts.hpp"

#include <fcntl.h>
#include <linux/mount.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "os/handle.hpp"

namespace lazaret::backend::native {
namespace {

bool write_whole(const os::Handle& file, const char* content) noexcept {
  const std::size_t size = ::strlen(content);
  return file.valid() && ::write(file.get(), content, size) == static_cast<ssize_t>(size);
}

}  // namespace

bool make_file(const char* path, const char* content) noexcept {
  return write_whole(os::Handle(::open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444)),
                     content);
}

bool write_file(const char* path, const char* content) noexcept {
  return write_whole(os::Handle(::open(path, O_WRONLY | O_CLOEXEC)), content);
}

bool file_says(const char* path, const char* text) noexcept {
  const os::Handle file(::open(path, O_RDONLY | O_CLOEXEC));
  std::array<char, 64> found;
  const ssize_t count = file.valid() ? ::read(file.get(), found.data(), found.size()) : -1;
  if (count < 0) return false;
  errno = EPERM;
  return std::string_view(found.data(), static_cast<std::size_t>(count)).starts_with(text);
}

// Spaces in names are written as \\040, so that the words are found only where they are fields.
bool keeps_mounts_to_itself() noexcept {
  constexpr std::string_view kShared = " shared:";
  const os::Handle file(::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> text;
  std::size_t kept = 0;  // the end of the last part, which may be half of a field
  for (ssize_t count = 0;;) {
    count = ::read(file.get(), text.data() + kept, text.size() - kept);
    if (count <= 0) return file.valid() && count == 0;
    const std::string_view part(text.data(), kept + static_cast<std::size_t>(count));
    if (part.find(kShared) != std::string_view::npos) break;
    kept = std::min(part.size(), kShared.size());
    std::memmove(text.data(), part.data() + part.size() - kept, kept);
  }
  errno = EBUSY;
  return false;
}

bool bind_tree(const char* source, const char* target) noexcept {
  return ::mount(source, target, nullptr, MS_BIND | MS_REC, nullptr) == 0;
}

bool restrict_mount(const char* path, std::uint64_t attributes, unsigned flags) noexcept {
  mount_attr attr{};
  attr.attr_set = attributes;
  return ::syscall(SYS_mount_setattr, AT_FDCWD, path, flags, &attr, sizeof attr) == 0;
}

}  // namespace lazaret::backend::native
