#pragma once

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/handle.hpp"

namespace lazaret::backend::native {

/// The directory of an absolute path, opened beneath a handle of the root: no link and no ".."
/// leads anywhere else (openat2(2)). Not open where errno says why; EXDEV for what leads out.
[[nodiscard]] inline os::Handle open_beneath_root(const char* path) noexcept {
  const os::Handle root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) return {};
  while (*path == '/') ++path;
  open_how how{};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return os::Handle(static_cast<int>(
      ::syscall(SYS_openat2, root.get(), *path == '\0' ? "." : path, &how, sizeof how)));
}

}  // namespace lazaret::backend::native
