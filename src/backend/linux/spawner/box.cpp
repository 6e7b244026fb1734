#include "backend/linux/spawner/box.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "backend/linux/control.hpp"
#include "backend/linux/filters.hpp"
#include "backend/linux/spawner/mounts.hpp"
#include "backend/linux/spawner/step.hpp"
#include "os/handle.hpp"
#include "os/init.hpp"
#include "runner/program/supervisor.hpp"

namespace lazaret::backend::native {
namespace {

// At the end of the stream there is nobody left who could write the maps.
bool await_maps(const BoxPlan& plan) noexcept {
  char byte = 0;
  return ::read(plan.go, &byte, 1) == 1;
}

constexpr int kExit = 3;

bool has_way_out(const BoxPlan& plan) noexcept { return plan.order.way_out != 0; }

bool close_rest(const BoxPlan& plan) noexcept {
  if (!has_way_out(plan)) return done(::syscall(SYS_close_range, 3U, ~0U, 0U));
  return done(::dup2(plan.exit, kExit)) && done(::syscall(SYS_close_range, kExit + 1U, ~0U, 0U));
}

// A change of ids hides the clone from an ordinary user's Lazaret, who is another user to it then
// and must look at it before it gets a job.
bool take_identity(const BoxPlan&) noexcept {
  return done(::setresgid(kInsideId, kInsideId, kInsideId)) &&
         done(::setresuid(kInsideId, kInsideId, kInsideId)) &&
         done(::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
}

// Should the spawner die, the box dies with it. After the identity: a change of ids clears this.
bool die_with_spawner(const BoxPlan&) noexcept {
  return done(::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0));
}

// The spawner has reset the dispositions, left every terminal and closed what it was given.
bool reset_signals(const BoxPlan&) noexcept {
  sigset_t none;
  sigemptyset(&none);
  return done(::sigprocmask(SIG_SETMASK, &none, nullptr));
}

bool add_scratch(const BoxPlan& plan) noexcept {
  constexpr unsigned long kFlags = MS_NOSUID | MS_NODEV;
  const char* const shared = plan.order.shared_options.data();
  const bool is_strict = plan.order.profile == Profile::strict;
  const unsigned long work = kFlags | (is_strict ? MS_NOEXEC : 0);
  return done(::mount("tmpfs", "/work", "tmpfs", work, plan.order.private_options.data())) &&
         (is_strict || done(::mount("tmpfs", "/tmp", "tmpfs", kFlags, shared))) &&
         done(::mount("tmpfs", "/dev/shm", "tmpfs", kFlags | MS_NOEXEC, shared));
}

// An instance of the box's own, which nobody else's terminals are in; the host has some thousand
// for all (kernel.pty.max).
bool add_terminals(const BoxPlan& plan) noexcept {
  return !plan.order.has_terminals ||
         done(::mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
                      "newinstance,max=32,ptmxmode=0666,mode=0600"));
}

// A file covers files and a folder folders.
bool cover(const char* path, Mask::Kind kind) noexcept {
  const char* const source = kind == Mask::Kind::folder ? "/var/empty" : "/dev/null";
  return done(::mount(source, path, nullptr, MS_BIND, nullptr));
}

// What is not there needs no cover. Where it may not be there, it is looked at first: a mount that
// fails waits for all processors (synchronize_rcu_expedited).
bool mask_path(const char* path, Mask::Kind expected) noexcept {
  if (expected != Mask::Kind::absent && cover(path, expected)) return true;
  struct stat facts {};
  if (!done(::stat(path, &facts))) return errno == ENOENT;
  return cover(path, S_ISDIR(facts.st_mode) ? Mask::Kind::folder : Mask::Kind::file);
}

// The spawner's /proc is covered and closed. Processes that may not be looked into, such as the
// runner, are not even shown: proc(5), hidepid, whose 4 is for root's group too, other than its 2.
// No user namespace below this one, should the system call filter ever be got around.
bool add_proc(const BoxPlan& plan) noexcept {
  constexpr unsigned long kFlags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  constexpr const char* kNamespaces = "/proc/sys/user/max_user_namespaces";
  if (!restrict_mount("/proc", MOUNT_ATTR_RDONLY, 0) ||
      !done(::mount("proc", "/proc", "proc", kFlags, "hidepid=4")) ||
      !write_file(kNamespaces, "0") || !file_says(kNamespaces, "0\n")) {
    return false;
  }
  for (std::uint32_t index = 0; index < plan.foundation.mask_count; ++index) {
    const Mask& mask = plan.foundation.masks[index];
    if (!mask_path(mask.path.data(), mask.kind)) return false;
  }
  return true;
}

// The links in /etc then lead nowhere.
bool hide_accounts(const BoxPlan& plan) noexcept {
  return plan.order.profile != Profile::strict || mask_path("/etc/accounts", Mask::Kind::folder);
}

// In a network namespace of the box's own making: over the one that it was given, which is the
// spawner's, it has no power.
bool raise_loopback(const BoxPlan& plan) noexcept {
  if (plan.order.loopback == Loopback::down || plan.shares_network) return true;
  if (!done(::unshare(CLONE_NEWNET))) return false;
  const os::Handle socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  ::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING;
  return socket.valid() && done(::ioctl(socket.get(), SIOCSIFFLAGS, &request));
}

// The socket is of this network, and whoever has it accepts what connects to it from in here:
// nothing of the box leads out. None of it is left in the box.
bool open_way_out(const BoxPlan& plan) noexcept {
  if (!has_way_out(plan)) return true;
  constexpr int kBacklog = 64;
  const os::Handle exit(kExit);
  const os::Handle listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(plan.order.way_out);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int handles[] = {listener.get()};
  return listener.valid() &&
         done(
             ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address)) &&
         done(::listen(listener.get(), kBacklog)) &&
         send_message(exit.get(), raw(plan.order.way_out), handles);
}

// The kernel must be able to end a box for want of memory, and sooner than its caller; only raising
// needs no capability (proc(5), oom_score_adj), so that EACCES says: high enough already.
bool offer_to_oom_killer(const BoxPlan&) noexcept {
  return write_file("/proc/self/oom_score_adj", "500") || errno == EACCES;
}

bool close_proc(const BoxPlan&) noexcept {
  return restrict_mount("/proc", MOUNT_ATTR_RDONLY, AT_RECURSIVE);
}

// What the caller may not have himself, no box of his gets: a hard limit of his own that is lower
// holds, for setrlimit(2) refuses to raise it.
bool apply_limit(const Limit& limit) noexcept {
  rlimit found{};
  if (!done(::syscall(SYS_prlimit64, 0, limit.resource, nullptr, &found))) return false;
  const rlimit lower{std::min(limit.value.rlim_cur, found.rlim_max),
                     std::min(limit.value.rlim_max, found.rlim_max)};
  return done(::syscall(SYS_prlimit64, 0, limit.resource, &lower, nullptr));
}

bool apply_limits(const BoxPlan& plan) noexcept {
  const auto* const limits = plan.order.limits.data();
  return std::all_of(limits, limits + plan.order.limit_count, apply_limit);
}

bool drop_bounding_set() noexcept {
  for (unsigned long capability = 0; capability < 64; ++capability) {
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0) continue;
    return errno == EINVAL;  // one past the last capability of this kernel
  }
  return true;
}

bool drop_privileges(const BoxPlan&) noexcept {
  constexpr unsigned long kSecureBits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED |
                                        SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED |
                                        SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE |
                                        SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
  if (!drop_bounding_set() || !done(::prctl(PR_SET_SECUREBITS, kSecureBits, 0, 0, 0))) return false;
  if (!done(::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0))) return false;
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2] = {};
  return done(::syscall(SYS_capset, &header, none)) &&
         done(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
}

// For every thread there is (seccomp(2), TSYNC): one that cannot follow is the answer.
bool install_filter(const BoxPlan& plan) noexcept {
  const sock_fprog program = filter_of(plan.order.profile, plan.order.loopback);
  const long left =
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
  if (left > 0) errno = EBUSY;
  return left == 0;
}

// The order matters: docs/native-backend.md says why each step stands where it stands.
constexpr Step<BoxPlan> kBoxSteps[] = {
    {"await id maps", await_maps},
    {"close descriptors", close_rest},
    {"take identity", take_identity},
    {"die with the spawner", die_with_spawner},
    {"reset signals", reset_signals},
    {"raise loopback", raise_loopback},
    {"open the way out", open_way_out},
    {"add scratch", add_scratch},
    {"add terminals", add_terminals},
    {"hide accounts", hide_accounts},
    {"add proc", add_proc},
    {"offer to the OOM killer", offer_to_oom_killer},
    {"close proc", close_proc},
    {"apply limits", apply_limits},
    {"drop privileges", drop_privileges},
    {"install filter", install_filter},
};

[[noreturn]] void give_up(const char* step, int code) {
  const auto payload = runner::encode(runner::Failed{step, code});
  const auto frame = runner::encode_frame(runner::FrameType::failed, payload);
  (void)!::write(STDOUT_FILENO, frame.data(), frame.size());
  ::_exit(127);
}

}  // namespace

void become_runner(const BoxPlan& plan) {
  (void)::prctl(PR_SET_NAME, "lazaret-runner", 0, 0, 0);  // what ps and the kernel's log say
  if (const char* const step = take_all(kBoxSteps, plan)) give_up(step, errno);
  auto handles = os::become_init();
  if (!handles.ok()) give_up("become init", handles.error().os_error());
  runner::Supervisor supervisor(std::move(handles).value(), plan.order.subprocess,
                                os::Known::from_outside);
  const Status served = supervisor.run();
  ::_exit(served.ok() ? 0 : 1);
}

}  // namespace lazaret::backend::native
