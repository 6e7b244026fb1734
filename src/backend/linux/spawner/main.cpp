#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "backend/linux/spawner/ground.hpp"
#include "backend/linux/spawner/service.hpp"
#include "backend/linux/spawner/step.hpp"

// The spawner: started by Lazaret with one end of a socket as descriptor 3, it makes the boxes.
// Small, single-threaded and without secrets, so that a box can be a mere clone of it.
namespace lazaret::backend::native {
namespace {

constexpr int kControl = 3;

// Dispositions that were ignored would survive exec(3) and reach the boxes (P-54).
void reset_signals() noexcept {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) (void)::sigaction(number, &standard, nullptr);
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  (void)::sigaction(SIGPIPE, &ignore, nullptr);
}

// It holds a few descriptors for each box; what Lazaret allows itself at the moment is no measure.
void raise_descriptor_limit() noexcept {
  rlimit limit{};
  if (!done(::getrlimit(RLIMIT_NOFILE, &limit))) return;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

// Out of the terminal's session, and with nothing of Lazaret's open but the control socket.
bool detach() noexcept {
  reset_signals();
  raise_descriptor_limit();
  ::umask(0022);
  const int null = ::open("/dev/null", O_RDWR);
  for (int target = 0; target < kControl; ++target) {
    if (!done(::dup2(null, target))) return false;
  }
  return done(::syscall(SYS_close_range, kControl + 1U, ~0U, 0U)) && done(::setsid());
}

bool tell(const Answer& answer) noexcept {
  return ::send(kControl, &answer, sizeof answer, MSG_NOSIGNAL) == sizeof answer;
}

// The exit status of a spawner that could not begin.
int give_up(const char* step) noexcept {
  Answer answer;
  answer.code = errno;
  ::strncpy(answer.failed_step.data(), step, answer.failed_step.size() - 1);
  (void)tell(answer);
  return 1;
}

// Lazaret writes the id maps as soon as it hears that there is a user namespace.
bool await_maps() noexcept {
  char go = 0;
  return tell({}) && ::recv(kControl, &go, sizeof go, 0) == sizeof go;
}

os::Handle child_changes() noexcept {
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGCHLD);
  if (!done(::sigprocmask(SIG_BLOCK, &mask, nullptr))) return {};
  return os::Handle(::signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK));
}

// First process of the spawner's own pid namespace: when it ends, all boxes do.
int serve(const Foundation& foundation, os::Handle owner) {
  // Who is not the first has no namespaces of its own, whatever unshare(2) has answered: not one
  // step may be taken on the host.
  if (::getpid() != 1) {
    errno = EPERM;
    return give_up("make namespaces");
  }
  if (!done(::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0))) return 1;
  if (const char* const step = lay_ground(foundation)) return give_up(step);
  os::Handle children = child_changes();
  if (!children.valid()) return give_up("watch for children");
  if (!tell({})) return 1;
  Service({os::Handle(kControl), std::move(children), std::move(owner)}, foundation).run();
  return 0;
}

// pidfd_open(2), while the owner is known to be alive as our parent.
os::Handle owner_of(const Foundation& foundation) noexcept {
  os::Handle owner(static_cast<int>(::syscall(SYS_pidfd_open, foundation.owner, 0)));
  if (::getppid() != foundation.owner) owner.reset();
  return owner;
}

int start() {
  static Foundation foundation;
  (void)::prctl(PR_SET_NAME, "lazaret-spawner", 0, 0, 0);
  if (!detach()) return 1;
  if (::recv(kControl, &foundation, sizeof foundation, 0) != sizeof foundation) return 1;
  os::Handle owner = owner_of(foundation);
  if (!owner.valid()) return give_up("watch the owner");
  // Who may give ids needs no user namespace for the rest either, and hosts that refuse them to
  // ordinary users do not refuse them to root alone.
  constexpr int kNamespaces = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUTS;
  const int user = foundation.identity == HostIdentity::nobody ? 0 : CLONE_NEWUSER;
  if (!done(::unshare(kNamespaces | user))) return give_up("make namespaces");
  if (!await_maps()) return 1;
  const pid_t child = ::fork();
  if (child == 0) return serve(foundation, std::move(owner));
  if (child < 0) return give_up("fork");
  ::close(kControl);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return 0;
}

}  // namespace
}  // namespace lazaret::backend::native

int main() { return lazaret::backend::native::start(); }
