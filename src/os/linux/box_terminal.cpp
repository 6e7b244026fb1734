#include <fcntl.h>
#include <sys/ioctl.h>

#include <cerrno>

#include "os/error.hpp"
#include "os/init.hpp"

namespace lazaret::os {
namespace {

Error no_terminal() { return Error(Errc::start_failed, "terminal").with_os_error(errno); }

}  // namespace

// The program's side by the descriptor, not by its name, in front of which something else may have
// been mounted (ioctl_tty(2), TIOCGPTPEER).
Result<Terminal> make_terminal(const TerminalSize& size) {
  constexpr int kFlags = O_RDWR | O_NOCTTY | O_CLOEXEC;
  const int unlocked = 0;
  Terminal made;
  made.input.reset(::open("/dev/ptmx", kFlags | O_NONBLOCK));
  const int ours = made.input.get();
  if (!made.input.valid() || ::ioctl(ours, TIOCSPTLCK, &unlocked) != 0) return no_terminal();
  made.theirs.reset(::ioctl(ours, TIOCGPTPEER, kFlags));
  made.output.reset(::fcntl(ours, F_DUPFD_CLOEXEC, 0));
  if (!made.theirs.valid() || !made.output.valid()) return no_terminal();
  if (!resize_terminal(ours, size).ok()) return no_terminal();
  return made;
}

Status resize_terminal(RawHandle terminal, const TerminalSize& size) {
  const winsize wanted{size.rows, size.columns, 0, 0};
  if (::ioctl(terminal, TIOCSWINSZ, &wanted) != 0) return last_error("ioctl TIOCSWINSZ");
  return {};
}

}  // namespace lazaret::os
