#include "backend/linux/spawner/mounts.hpp"

#include <fcntl.h>
#include <linux/mount.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

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

bool bind_tree(const char* source, const char* target) noexcept {
  return ::mount(source, target, nullptr, MS_BIND | MS_REC, nullptr) == 0;
}

bool restrict_mount(const char* path, std::uint64_t attributes, unsigned flags) noexcept {
  mount_attr attr{};
  attr.attr_set = attributes;
  return ::syscall(SYS_mount_setattr, AT_FDCWD, path, flags, &attr, sizeof attr) == 0;
}

}  // namespace lazaret::backend::native
