#include "backend/seccomp/profile.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace lazaret::backend::seccomp {
namespace {

// Calls without conditions, by what they are for.
constexpr std::string_view kAlways[] = {
    // files and directories
    "read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 open openat openat2 "
    "creat close close_range lseek _llseek stat fstat lstat newfstatat statx stat64 fstat64 "
    "lstat64 "
    "fstatat64 statfs fstatfs statfs64 fstatfs64 access faccessat faccessat2 readlink readlinkat "
    "getcwd chdir fchdir getdents getdents64 mkdir mkdirat rmdir unlink unlinkat rename renameat "
    "renameat2 link linkat symlink symlinkat mknod mknodat chmod fchmod fchmodat fchmodat2 chown "
    "fchown lchown fchownat umask truncate ftruncate truncate64 ftruncate64 fallocate fadvise64 "
    "fadvise64_64 readahead utime utimes utimensat futimesat fsync fdatasync sync syncfs "
    "sync_file_range sendfile sendfile64 copy_file_range splice tee vmsplice flock fcntl fcntl64 "
    "dup dup2 dup3 pipe pipe2 getxattr lgetxattr fgetxattr setxattr lsetxattr fsetxattr listxattr "
    "llistxattr flistxattr removexattr lremovexattr fremovexattr inotify_init inotify_init1 "
    "inotify_add_watch inotify_rm_watch",
    // waiting
    "poll ppoll select pselect6 _newselect epoll_create epoll_create1 epoll_ctl epoll_ctl_old "
    "epoll_wait epoll_wait_old epoll_pwait epoll_pwait2 eventfd eventfd2 signalfd signalfd4 "
    "timerfd_create timerfd_settime timerfd_gettime io_setup io_destroy io_submit io_cancel "
    "io_getevents io_pgetevents",
    // memory
    "brk mmap mmap2 munmap mremap mprotect madvise msync mincore mlock mlock2 munlock mlockall "
    "munlockall memfd_create membarrier pkey_alloc pkey_free pkey_mprotect remap_file_pages "
    "map_shadow_stack cachestat",
    // processes and threads
    "fork vfork execve execveat exit exit_group wait4 waitid waitpid getpid getppid gettid getpgid "
    "getpgrp setpgid getsid setsid getuid geteuid getgid getegid getresuid getresgid getgroups "
    "setuid setgid setreuid setregid setresuid setresgid setgroups setfsuid setfsgid capget capset "
    "prctl arch_prctl set_tid_address set_robust_list get_robust_list set_thread_area "
    "get_thread_area rseq futex futex_waitv sched_yield sched_getaffinity sched_setaffinity "
    "sched_getparam sched_setparam sched_getscheduler sched_setscheduler sched_getattr "
    "sched_setattr sched_get_priority_max sched_get_priority_min sched_rr_get_interval getpriority "
    "setpriority ioprio_get ioprio_set getrlimit setrlimit ugetrlimit getrusage times "
    "getcpu restart_syscall pidfd_open pidfd_send_signal process_mrelease landlock_create_ruleset "
    "landlock_add_rule landlock_restrict_self",
    // signals
    "kill tkill tgkill rt_sigaction rt_sigprocmask rt_sigpending rt_sigreturn rt_sigsuspend "
    "rt_sigtimedwait rt_sigqueueinfo rt_tgsigqueueinfo sigaltstack sigreturn pause alarm getitimer "
    "setitimer",
    // time, read only
    "time gettimeofday clock_gettime clock_getres clock_nanosleep nanosleep timer_create "
    "timer_settime timer_gettime timer_getoverrun timer_delete clock_gettime64 clock_getres_time64 "
    "clock_nanosleep_time64",
    // sockets once they exist
    "bind listen accept accept4 connect getsockname getpeername getsockopt setsockopt "
    "send sendto sendmsg sendmmsg recv recvfrom recvmsg recvmmsg shutdown",
    // System V and POSIX interprocess communication, within the box's own namespace
    "msgget msgsnd msgrcv msgctl semget semop semtimedop semctl shmget shmat shmdt shmctl mq_open "
    "mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr",
    // facts about the machine
    "uname sysinfo getrandom",
};

// Known, dangerous, and refused loudly.
constexpr std::string_view kRefusedCalls =
    "unshare setns mount umount umount2 mount_setattr move_mount open_tree fsopen fsconfig fsmount "
    "fspick pivot_root chroot open_by_handle_at name_to_handle_at ptrace process_vm_readv "
    "process_vm_writev process_madvise pidfd_getfd kcmp bpf perf_event_open userfaultfd keyctl "
    "add_key request_key io_uring_setup io_uring_enter io_uring_register fanotify_init "
    "fanotify_mark acct settimeofday clock_settime clock_adjtime adjtimex stime sethostname "
    "setdomainname syslog quotactl quotactl_fd iopl ioperm modify_ldt vhangup vm86 vm86old "
    "memfd_secret mbind migrate_pages move_pages set_mempolicy set_mempolicy_home_node "
    "get_mempolicy lookup_dcookie nfsservctl uselib ustat sysfs _sysctl";

// What no program tries by the way, as it tries what it can do without: another kernel, or more or
// less of this one.
constexpr std::string_view kDeadlyCalls =
    "kexec_load kexec_file_load init_module finit_module delete_module create_module reboot swapon "
    "swapoff";

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    words.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return words;
}

constexpr std::uint64_t kNewListener = 1 << 3;
constexpr std::uint64_t kInt = 0xFFFFFFFF;  // the kernel reads these arguments as 32 bits
constexpr std::uint64_t kInet = 2, kInet6 = 10, kNetlink = 16;  // families of sockets

// socket(2): Unix alone. A box without a network has no use for the rest of the kernel's network
// code, and what it cannot open it cannot leave anything in.
void add_sockets(std::vector<Allowed>& rules) {
  constexpr std::uint64_t kUnix = 1;
  rules.push_back({"socket", {{0, kInt, kUnix}}});
  // The kernel makes both sockets before it asks whether the family knows pairs.
  rules.push_back({"socketpair", {{0, kInt, kUnix}}});
}

// With the answer of a kernel that was built without them: programs know what to do then.
void refuse_internet(std::vector<Refused>& rules) {
  for (const std::uint64_t family : {kInet, kInet6, kNetlink}) {
    rules.push_back({"socket", kFamilyError, {{0, kInt, family}}});
  }
}

// For a box that talks to itself: TCP and UDP, without raw packets.
void allow_internet(std::vector<Allowed>& rules) {
  constexpr std::uint64_t kTypeMask = 0xF, kStreamType = 1, kDatagramType = 2;
  constexpr std::uint64_t kDefaultProtocol = 0, kTcp = 6, kUdp = 17;
  for (const std::uint64_t family : {kInet, kInet6}) {
    for (const auto& [type, named] : {std::pair{kStreamType, kTcp}, {kDatagramType, kUdp}}) {
      for (const std::uint64_t protocol : {kDefaultProtocol, named}) {
        rules.push_back({"socket", {{0, kInt, family}, {1, kTypeMask, type}, {2, kInt, protocol}}});
      }
    }
  }
}

// ioctl(2) but for the block of terminal requests with TIOCSTI (0x5412), TIOCLINUX (0x541C) and
// TIOCSETD (0x5423, by which any program could load and drive a line discipline of the kernel's),
// from which the harmless ones are let through again. "Not in the block" is one rule for each bit
// in which a request can differ from it: there is no masked inequality, and a plain comparison of
// 64 bits could be fooled by the upper half that the kernel ignores.
void add_ioctl(std::vector<Allowed>& rules) {
  constexpr std::uint64_t kBlock = 0x5400, kBlockMask = 0xFFFFFFC0;
  for (std::uint64_t bit = 1; bit <= 0x80000000; bit <<= 1) {
    if ((bit & kBlockMask) != 0) rules.push_back({"ioctl", {{1, bit, bit & ~kBlock}}});
  }
  constexpr std::uint64_t kTiocspgrp = 0x5410, kTiocoutq = 0x5411, kTiocgwinsz = 0x5413,
                          kTiocswinsz = 0x5414, kFionread = 0x541B, kTiocnotty = 0x5422,
                          kTiocgsid = 0x5429;
  for (const std::uint64_t request :
       {kTiocspgrp, kTiocoutq, kTiocgwinsz, kTiocswinsz, kFionread, kTiocnotty, kTiocgsid}) {
    rules.push_back({"ioctl", {{1, kInt, request}}});
  }
  // TCGETS to TIOCGPGRP; TIOCPKT and FIONBIO.
  constexpr std::pair<std::uint64_t, std::uint64_t> kRuns[] = {{0x5400, 0xFFFFFFF0},
                                                               {0x5420, 0xFFFFFFFE}};
  for (const auto& [first, mask] : kRuns) rules.push_back({"ioctl", {{1, mask, first}}});
}

void add_conditional(std::vector<Allowed>& rules) {
  // clone(2) with none of the CLONE_NEW* flags.
  rules.push_back({"clone", {{0, 0x7E020000, 0}}});
  for (const std::uint64_t persona : {0x0ULL, 0x8ULL, 0x20000ULL, 0x20008ULL, 0xFFFFFFFFULL}) {
    rules.push_back({"personality", {{0, kInt, persona}}});
  }
  // seccomp(2) but for SECCOMP_FILTER_FLAG_NEW_LISTENER, by which one process answers for others.
  rules.push_back({"seccomp", {{1, kNewListener, 0}}});
  // Limits of oneself only: equal users may change each other's, and the runner is one of them.
  rules.push_back({"prlimit64", {{0, kInt, 0}}});
  add_sockets(rules);
  add_ioctl(rules);
}

// What a debugger needs. Whom it may trace the kernel decides: processes of the box, never the
// runner, which is not dumpable (ptrace(2)).
constexpr std::string_view kOnlyDev = "ptrace process_vm_readv process_vm_writev";
constexpr std::uint64_t kAddrNoRandomize = 0x0040000;

// Programs from memory, which would get around what cannot be executed in /work, and entries that
// few programs use and kernels have been broken by.
constexpr std::string_view kNotStrict =
    "memfd_create splice tee vmsplice io_setup io_destroy io_submit io_cancel io_getevents "
    "io_pgetevents remap_file_pages pkey_alloc pkey_free pkey_mprotect map_shadow_stack msgget "
    "msgsnd msgrcv msgctl semget semop semtimedop semctl shmget shmat shmdt shmctl mq_open "
    "mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr process_mrelease";

bool is_among(std::string_view call, std::string_view text) {
  const auto words = words_of(text);
  return std::find(words.begin(), words.end(), call) != words.end();
}

Profile made_for(lazaret::Profile profile, Loopback loopback) {
  const bool is_dev = profile == lazaret::Profile::dev;
  const std::string_view left_out = profile == lazaret::Profile::strict ? kNotStrict : "";
  Profile made;
  for (const std::string_view group : kAlways) {
    for (const std::string_view call : words_of(group)) {
      if (!is_among(call, left_out)) made.allowed.push_back({call, {}});
    }
  }
  add_conditional(made.allowed);
  if (is_dev) {
    for (const std::string_view call : words_of(kOnlyDev)) made.allowed.push_back({call, {}});
    made.allowed.push_back({"personality", {{0, kInt, kAddrNoRandomize}}});
  }
  for (const std::string_view call : words_of(kRefusedCalls)) {
    if (!is_dev || !is_among(call, kOnlyDev)) made.refused.push_back({call, kRefusedError, {}});
  }
  for (const std::string_view call : words_of(left_out)) {
    made.refused.push_back({call, kRefusedError, {}});
  }
  made.deadly = words_of(kDeadlyCalls);
  // Its flags lie behind a pointer that a filter cannot read; ENOSYS makes libc use clone (P-49).
  made.refused.push_back({"clone3", kUnknownError, {}});
  if (loopback == Loopback::up) {
    allow_internet(made.allowed);
  } else {
    refuse_internet(made.refused);
  }
  return made;
}

}  // namespace

const Profile& profile_of(lazaret::Profile profile, Loopback loopback) {
  using P = lazaret::Profile;
  static const std::array<std::array<Profile, 2>, 3> made = {{
      {made_for(P::dev, Loopback::down), made_for(P::dev, Loopback::up)},
      {made_for(P::standard, Loopback::down), made_for(P::standard, Loopback::up)},
      {made_for(P::strict, Loopback::down), made_for(P::strict, Loopback::up)},
  }};
  return made.at(static_cast<std::size_t>(profile)).at(static_cast<std::size_t>(loopback));
}

const Profile& standard_profile() { return profile_of(lazaret::Profile::standard, Loopback::down); }

}  // namespace lazaret::backend::seccomp
