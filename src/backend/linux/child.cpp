#include "backend/linux/child.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <iterator>

// SAFETY: everything here runs between clone and exec of a possibly multi-threaded process: no
// allocation, no locks, no library state; system calls through their thin wrappers only.
namespace lazaret::backend::native {
namespace {

constexpr const char* kRoot =
    "/tmp";  // only as the place of the new root, in our own mount namespace
constexpr int kRunner = 3;
constexpr int kReport = 4;
constexpr int kGo = 5;

bool failed(long result) noexcept { return result < 0; }

// At the end of the stream there is nobody left who could write the maps.
bool await_go(const ChildPlan&) noexcept {
  char byte = 0;
  return ::read(kGo, &byte, 1) == 1;
}

bool take_identity(const ChildPlan& plan) noexcept {
  if (plan.clear_groups && failed(::syscall(SYS_setgroups, 0, nullptr))) return false;
  return !failed(::syscall(SYS_setresgid, plan.gid, plan.gid, plan.gid)) &&
         !failed(::syscall(SYS_setresuid, plan.uid, plan.uid, plan.uid));
}

// The descriptors all lie above 9 in the parent.
bool place_descriptors(const ChildPlan& plan) noexcept {
  return !failed(::dup2(plan.wire, 0)) && !failed(::dup2(plan.wire, 1)) &&
         !failed(::dup2(plan.null, 2)) && !failed(::dup3(plan.runner, kRunner, O_CLOEXEC)) &&
         !failed(::dup3(plan.report, kReport, O_CLOEXEC)) &&
         !failed(::dup3(plan.go, kGo, O_CLOEXEC)) &&
         !failed(::syscall(SYS_close_range, 6U, ~0U, 0U));
}

bool reset_process(const ChildPlan&) noexcept {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) (void)::sigaction(number, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::umask(0022);
  return !failed(::sigprocmask(SIG_SETMASK, &none, nullptr)) && !failed(::setsid());
}

bool name_host(const ChildPlan&) noexcept { return !failed(::sethostname("lazaret", 7)); }

bool new_root(const ChildPlan&) noexcept {
  return !failed(::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr)) &&
         !failed(::mount("tmpfs", kRoot, "tmpfs", MS_NOSUID | MS_NODEV,
                         "size=1m,nr_inodes=256,mode=0755")) &&
         !failed(::chdir(kRoot));
}

bool make_file(const char* path, const char* content) noexcept {
  const int file = ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
  if (file < 0) return false;
  const std::size_t size = ::strlen(content);
  const bool written = ::write(file, content, size) == static_cast<ssize_t>(size);
  ::close(file);
  return written;
}

bool bind_here(const TreeEntry& entry, unsigned long flags) noexcept {
  struct stat facts {};
  if (::stat(entry.source, &facts) != 0) return entry.optional && errno == ENOENT;
  const bool made =
      S_ISDIR(facts.st_mode) ? ::mkdir(entry.target, 0755) == 0 : make_file(entry.target, "");
  return made && !failed(::mount(entry.source, entry.target, nullptr, MS_BIND | flags, nullptr));
}

bool make_entry(const TreeEntry& entry) noexcept {
  switch (entry.kind) {
    case TreeEntry::Kind::directory: return !failed(::mkdir(entry.target, 0755));
    case TreeEntry::Kind::link: return !failed(::symlink(entry.source, entry.target));
    case TreeEntry::Kind::file: return make_file(entry.target, entry.source);
    case TreeEntry::Kind::bind: return bind_here(entry, MS_REC);
    case TreeEntry::Kind::device: return make_file(entry.target, "");
  }
  return false;
}

bool make_tree(const ChildPlan& plan) noexcept {
  for (const TreeEntry& entry : plan.tree) {
    if (!make_entry(entry)) return false;
  }
  return true;
}

bool restrict_mount(const char* path, std::uint64_t attributes, unsigned flags) noexcept {
  mount_attr attr{};
  attr.attr_set = attributes;
  return !failed(::syscall(SYS_mount_setattr, AT_FDCWD, path, flags, &attr, sizeof attr));
}

// Everything that is mounted so far, the root itself included. What comes later is mounted on top.
bool make_read_only(const ChildPlan&) noexcept {
  return restrict_mount(".", MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV,
                        AT_RECURSIVE);
}

bool add_devices(const ChildPlan& plan) noexcept {
  for (const TreeEntry& entry : plan.tree) {
    if (entry.kind != TreeEntry::Kind::device) continue;
    if (failed(::mount(entry.source, entry.target, nullptr, MS_BIND, nullptr))) return false;
    constexpr std::uint64_t kFlags = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC;
    if (!restrict_mount(entry.target, kFlags, 0)) return false;
  }
  return true;
}

bool add_scratch(const ChildPlan& plan) noexcept {
  for (const Scratch& scratch : plan.scratch) {
    if (failed(::mount("tmpfs", scratch.target, "tmpfs", scratch.flags, scratch.options)))
      return false;
  }
  return true;
}

// No user namespace below this one, should the system call filter ever be got around.
bool forbid_user_namespaces() noexcept {
  const int file = ::open("proc/sys/user/max_user_namespaces", O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool written = ::write(file, "0", 1) == 1;
  ::close(file);
  return written;
}

bool mask_path(const char* path) noexcept {
  struct stat facts {};
  if (::stat(path, &facts) != 0) return errno == ENOENT;
  const char* const cover = S_ISDIR(facts.st_mode) ? "mnt" : "dev/null";
  return !failed(::mount(cover, path, nullptr, MS_BIND, nullptr));
}

bool add_proc(const ChildPlan& plan) noexcept {
  constexpr unsigned long kFlags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  if (failed(::mount("proc", "proc", "proc", kFlags, nullptr)) || !forbid_user_namespaces())
    return false;
  for (const char* const path : plan.masked) {
    if (!mask_path(path)) return false;
  }
  return restrict_mount("proc", MOUNT_ATTR_RDONLY, AT_RECURSIVE);
}

// pivot_root(2), "pivot_root(".", ".")": the old root ends up on top of the new one and is
// detached.
bool enter_root(const ChildPlan&) noexcept {
  return !failed(::syscall(SYS_pivot_root, ".", ".")) && !failed(::umount2(".", MNT_DETACH)) &&
         !failed(::chdir("/"));
}

bool apply_limits(const ChildPlan& plan) noexcept {
  for (const Limit& limit : plan.limits) {
    if (failed(::syscall(SYS_prlimit64, 0, limit.resource, &limit.value, nullptr))) return false;
  }
  return true;
}

bool drop_bounding_set() noexcept {
  for (unsigned long capability = 0; capability < 64; ++capability) {
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0) continue;
    return errno == EINVAL;  // one past the last capability of this kernel
  }
  return true;
}

bool drop_privileges(const ChildPlan&) noexcept {
  constexpr unsigned long kSecureBits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED |
                                        SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED |
                                        SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE |
                                        SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
  if (!drop_bounding_set() || failed(::prctl(PR_SET_SECUREBITS, kSecureBits, 0, 0, 0)))
    return false;
  if (failed(::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0))) return false;
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2] = {};
  return !failed(::syscall(SYS_capset, &header, none)) &&
         !failed(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
}

bool install_filter(const ChildPlan& plan) noexcept {
  return !failed(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &plan.filter));
}

bool execute_runner(const ChildPlan&) noexcept {
  char name[] = "lazaret-runner";
  char* const argv[] = {name, nullptr};
  char* const environment[] = {nullptr};
  return !failed(::syscall(SYS_execveat, kRunner, "", argv, environment, AT_EMPTY_PATH));
}

struct Step {
  const char* name;
  bool (*take)(const ChildPlan&) noexcept;
};

// The order matters: docs/native-backend.md says why each step stands where it stands.
constexpr Step kSteps[] = {
    {"place descriptors", place_descriptors},
    {"await id maps", await_go},
    {"take identity", take_identity},

    {"reset process", reset_process},
    {"name host", name_host},
    {"new root", new_root},
    {"make tree", make_tree},
    {"make read-only", make_read_only},
    {"add devices", add_devices},
    {"add scratch", add_scratch},
    {"add proc", add_proc},
    {"enter root", enter_root},
    {"apply limits", apply_limits},
    {"drop privileges", drop_privileges},
    {"install filter", install_filter},
    {"execute runner", execute_runner},
};
constexpr int kPlaceDescriptors = 0;

}  // namespace

const char* name_of_step(int step) noexcept {
  const bool known = step >= 0 && step < static_cast<int>(std::size(kSteps));
  return known ? kSteps[step].name : "unknown step";
}

void enter_box(const ChildPlan& plan) noexcept {
  for (int step = 0; step < static_cast<int>(std::size(kSteps)); ++step) {
    if (kSteps[step].take(plan)) continue;
    const StepFailure failure{step, errno};
    (void)!::write(step <= kPlaceDescriptors ? plan.report : kReport, &failure, sizeof failure);
    break;
  }
  ::_exit(127);
}

}  // namespace lazaret::backend::native
