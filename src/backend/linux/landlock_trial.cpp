#include "backend/linux/landlock_trial.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>

#include "backend/linux/throwaway.hpp"
#include "os/handle.hpp"

namespace lazaret::backend::native {
namespace {

constexpr int kFiles = 1, kSockets = 2, kSignals = 4, kUntried = 8;
constexpr std::uint32_t kScoped = 6;
// Newer than the headers that we are built with (landlock.h of Linux 6.12).
struct Ruleset {
  std::uint64_t files = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
  std::uint64_t network = 0;
  std::uint64_t scopes = 0;
};

// Listens at a name that the kernel chooses (unix(7), autobind).
struct Outside {
  Outside() : listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    address.sun_family = AF_UNIX;
    (void)::bind(listener.get(), general(), sizeof address.sun_family);
    (void)::listen(listener.get(), 1);
    (void)::getsockname(listener.get(), general(), &size);
  }
  sockaddr* general() { return reinterpret_cast<sockaddr*>(&address); }

  os::Handle listener;
  sockaddr_un address{};
  socklen_t size = sizeof address;
};

bool restrict_all(std::uint32_t version) {
  Ruleset rules;
  if (version >= kScoped) rules.scopes = 3;  // abstract sockets, signals
  const std::size_t size = version >= kScoped ? sizeof rules : sizeof rules.files;
  const long ruleset = ::syscall(SYS_landlock_create_ruleset, &rules, size, 0);
  return ruleset >= 0 && ::syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
}

bool was_refused(long answer, int code) { return answer == -1 && errno == code; }

// What was refused, in the child.
int refused(std::uint32_t version, Outside& outside) {
  const long way = ::syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
  if (way < 0 || !restrict_all(version)) return kUntried;
  int seen = 0;
  if (was_refused(::syscall(SYS_openat, AT_FDCWD, "/", O_RDONLY | O_DIRECTORY, 0), EACCES))
    seen |= kFiles;
  if (was_refused(::syscall(SYS_connect, way, outside.general(), outside.size), EPERM))
    seen |= kSockets;
  if (was_refused(::syscall(SYS_kill, ::syscall(SYS_getppid), 0), EPERM)) seen |= kSignals;
  return seen;
}

}  // namespace

LandlockTrial try_landlock() {
  const long version =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version <= 0) return {};
  LandlockTrial trial{static_cast<std::uint32_t>(version)};
  Outside outside;
  const auto seen = in_throwaway(0, [&] { return refused(trial.version, outside); });
  trial.was_tried = seen.value_or(kUntried) < kUntried && outside.listener.valid();
  trial.files = (seen.value_or(0) & kFiles) != 0;
  trial.sockets = (seen.value_or(0) & kSockets) != 0;
  trial.signals = (seen.value_or(0) & kSignals) != 0;
  return trial;
}

}  // namespace lazaret::backend::native
