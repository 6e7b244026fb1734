#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <system_error>
#include <thread>

/// What becomes of us where the system has no more threads.
namespace lazaret::test {

[[nodiscard]] inline bool can_make_a_thread() {
  try {
    std::jthread([] {});
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

/// Whether `check` holds in a child of this process that can make none.
[[nodiscard]] inline bool holds_without_threads(const std::function<bool()>& check) {
  constexpr uid_t kNobody = 65534;
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit none{0, 0};
    const bool is_bound = ::setrlimit(RLIMIT_NPROC, &none) == 0 &&
                          (::geteuid() != 0 || ::setresuid(kNobody, kNobody, kNobody) == 0);
    ::_exit(is_bound && !can_make_a_thread() && check() ? 0 : 1);
  }
  int status = 1;
  return ::waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace lazaret::test
