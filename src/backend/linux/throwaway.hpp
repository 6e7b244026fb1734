#pragma once

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

namespace lazaret::backend::native {

/// What `body` returns in a child of its own, 0 to 255; nothing when it was killed. errno when
/// there is no child. No signal tells of the child's end, so that it does not matter who ignores or
/// awaits those (wait(2), __WALL).
/// SAFETY: like fork(2), and `body` makes system calls only: a sanitizer's own _exit(2) waits for
/// locks that other threads held.
template <typename Body>
[[nodiscard]] std::optional<int> in_throwaway(unsigned long flags, Body body) {
  const long pid = ::syscall(SYS_clone, flags, nullptr, nullptr, nullptr, nullptr);
  if (pid < 0) return std::nullopt;
  if (pid == 0) ::syscall(SYS_exit_group, body());
  int status = 0;
  pid_t ended = -1;
  do {
    ended = ::waitpid(static_cast<pid_t>(pid), &status, __WALL);
  } while (ended < 0 && errno == EINTR);
  if (ended == pid && WIFEXITED(status)) return WEXITSTATUS(status);
  errno = ECANCELED;
  return std::nullopt;
}

}  // namespace lazaret::backend::native
