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

#include <array>
#include <cerrno>
#include <span>
#include <utility>

#include "backend/linux/control.hpp"
#include "backend/linux/spawner/ground.hpp"
#include "backend/linux/spawner/namespaces.hpp"
#include "backend/linux/spawner/networks.hpp"
#include "backend/linux/spawner/service.hpp"
#include "backend/linux/spawner/step.hpp"

// The spawner: started by Lazaret with one end of a socket as descriptor 3, it makes the boxes.
// Small, single-threaded and without secrets, so that a box can be a mere clone of it.
namespace lazaret::backend::native {
namespace {

constexpr int kControl = 3;
constexpr int kIoPrioProcess = 1;  // IOPRIO_WHO_PROCESS, which no header gives

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

// What favours the caller before others is not his boxes', which inherit it (sched(7),
// ioprio_set(2)). The system calls themselves: musl refuses to change a policy.
bool be_ordinary() noexcept {
  constexpr int kSelf = 0, kClassShift = 13, kRealTime = 1, kBestEffort = 2, kMiddle = 4;
  const long policy = ::syscall(SYS_sched_getscheduler, kSelf) & ~SCHED_RESET_ON_FORK;
  const sched_param none{};
  if (policy != SCHED_OTHER && policy != SCHED_BATCH && policy != SCHED_IDLE &&
      !done(::syscall(SYS_sched_setscheduler, kSelf, SCHED_OTHER, &none)))
    return false;
  if (::getpriority(PRIO_PROCESS, kSelf) < 0 && !done(::setpriority(PRIO_PROCESS, kSelf, 0)))
    return false;
  const long disk = ::syscall(SYS_ioprio_get, kIoPrioProcess, kSelf);
  const long rank = disk & ((1 << kClassShift) - 1);
  const bool favoured =
      disk >> kClassShift == kRealTime || (disk >> kClassShift == kBestEffort && rank < kMiddle);
  return !favoured || done(::syscall(SYS_ioprio_set, kIoPrioProcess, kSelf, 0));
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

bool tell(const Answer& answer) noexcept { return send_message(kControl, raw(answer), {}); }

// The exit status of a spawner that could not begin.
int give_up(const char* step) noexcept {
  (void)tell(failure_of(step));
  return 1;
}

template <typename Message>
bool hear(Message& message) noexcept {
  return receive_message(kControl, std::as_writable_bytes(std::span(&message, 1)), {}) ==
         sizeof message;
}

os::Handle child_changes() noexcept {
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGCHLD);
  if (!done(::sigprocmask(SIG_BLOCK, &mask, nullptr))) return {};
  return os::Handle(::signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK));
}

// Should none have come, the first box will ask for one, and it will be known why there is none.
Networks networks_from(const os::Handle& parent) {
  std::byte word{};
  os::Handle network;
  Networks networks;
  if (receive_message(parent.get(), std::span(&word, 1), std::span(&network, 1)) == 1)
    networks.take_back(std::move(network));
  return networks;
}

// What the spawner's two processes are given: what every box stands on, Lazaret's pidfd, and a
// socket to each other.
struct Half {
  const Foundation& foundation;
  os::Handle owner;
  os::Handle other;
};

// First process of the spawner's own pid namespace: when it ends, all boxes do.
int serve(Half half) {
  // Who is not the first has no namespaces of its own, whatever unshare(2) has answered: not one
  // step may be taken on the host.
  if (::getpid() != 1) {
    errno = EPERM;
    return give_up("make namespaces");
  }
  if (!done(::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0))) return 1;
  // Its own alone: what waits for it to end need not clear the mounts away after it.
  if (!leave_namespace(CLONE_NEWNS, "/proc/self/ns/mnt")) return give_up("make namespaces");
  if (const char* const step = lay_ground(half.foundation)) return give_up(step);
  os::Handle children = child_changes();
  if (!children.valid()) return give_up("watch for children");
  if (!tell({})) return 1;
  Service({os::Handle(kControl), std::move(children), std::move(half.owner)}, half.foundation,
          networks_from(half.other))
      .run();
  return 0;
}

// pidfd_open(2), while the owner is known to be alive as our parent.
os::Handle owner_of(const Start& start) noexcept {
  os::Handle owner(static_cast<int>(::syscall(SYS_pidfd_open, start.owner, 0)));
  if (::getppid() != start.owner) owner.reset();
  return owner;
}

// Who may give ids needs no user namespace for the rest either, and hosts that refuse them to
// ordinary users do not refuse them to root alone.
bool make_namespaces(const Identity& identity) noexcept {
  constexpr int kNamespaces = CLONE_NEWPID | CLONE_NEWUTS;
  return done(::unshare(kNamespaces | (identity.kind == HostIdentity::nobody ? 0 : CLONE_NEWUSER)));
}

// The first network is made beside the ground, and takes as long.
int attend(pid_t child, os::Handle half) {
  ::close(kControl);
  if (const os::Handle network = make_network(); network.valid())
    (void)send_message(half.get(), raw('n'), std::array{network.get()});
  half.reset();
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return 0;
}

// All that needs nothing of Lazaret's is done before it is heard again: it looks at the host
// meanwhile.
int begin() {
  static Foundation foundation;
  Start start;
  (void)::prctl(PR_SET_NAME, "lazaret-spawner", 0, 0, 0);
  if (!detach() || !hear(start)) return 1;
  if (!be_ordinary()) return give_up("be ordinary");
  os::Handle owner = owner_of(start);
  if (!owner.valid()) return give_up("watch the owner");
  if (!make_namespaces(start.identity)) return give_up("make namespaces");
  int ends[2];
  if (!done(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)))
    return give_up("socketpair");
  os::Handle inner(ends[0]), outer(ends[1]);
  if (!tell({}) || !hear(foundation)) return 1;
  const pid_t child = ::fork();
  if (child < 0) return give_up("fork");
  if (child == 0) {
    outer.reset();
    return serve({foundation, std::move(owner), std::move(inner)});
  }
  inner.reset();
  return attend(child, std::move(outer));
}

}  // namespace
}  // namespace lazaret::backend::native

int main() { return lazaret::backend::native::begin(); }
