#include "os/linux/subprocess.hpp"

#include <linux/audit.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <utility>

#include "base/try.hpp"
#include "os/error.hpp"
#include "os/linux/outcome.hpp"

namespace lazaret::os {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
constexpr std::uint32_t kForbidden[] = {SYS_fork, SYS_vfork, SYS_execveat};
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
constexpr std::uint32_t kForbidden[] = {SYS_execveat};
#endif
// Numbers from here on are those of the x32 entry; no other architecture has so many.
constexpr std::uint32_t kOtherEntry = 0x40000000;

constexpr std::uint16_t kLoad = BPF_LD | BPF_W | BPF_ABS, kReturn = BPF_RET | BPF_K;
constexpr std::uint16_t kIfEqual = BPF_JMP | BPF_JEQ | BPF_K, kIfSet = BPF_JMP | BPF_JSET | BPF_K;
constexpr std::uint8_t kNext = 0;
constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;
// Its flags lie behind a pointer; with ENOSYS the C library makes threads by clone(2) (P-49).
constexpr std::uint32_t kUnknown = SECCOMP_RET_ERRNO | ENOSYS;

// Both architectures are little-endian: the lower half comes first.
constexpr std::uint32_t half_of_argument(std::size_t index, std::size_t half) {
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + index * 8 + half * 4);
}

struct Trial {
  const SubprocessFilter& filter;
  int installed = 0, thread = 0, clone = 0, execve = 0, execveat = 0;
};

// SAFETY: runs in its parent's memory while the parent waits: system calls, and nothing is written
// but the trial. Flags that contradict each other (clone(2), EINVAL) and no path at all (EFAULT).
int run_trial(void* argument) {
  Trial& trial = *static_cast<Trial*>(argument);
  trial.installed = trial.filter.install() ? 0 : errno;
  trial.thread = outcome(::syscall(SYS_clone, CLONE_THREAD, 0, 0, 0, 0));
  trial.clone = outcome(::syscall(SYS_clone, CLONE_SIGHAND, 0, 0, 0, 0));
  trial.execve = outcome(::syscall(SYS_execve, nullptr, nullptr, nullptr, 0, 0, 0));
  trial.execveat = outcome(::syscall(SYS_execveat, -1, nullptr, nullptr, nullptr, 0, 0));
  ::_exit(0);
}

}  // namespace

// All halves of the key are compared before anything is decided, so that time tells nothing of it.
SubprocessFilter::SubprocessFilter(const Key& key) noexcept : key_(key) {
  const auto add = [this](std::uint16_t code, std::uint32_t value, std::uint8_t yes = kNext,
                          std::uint8_t no = kNext) {
    steps_[count_++] = {code, yes, no, value};
  };
  add(kLoad, offsetof(seccomp_data, arch));
  add(kIfEqual, kArchitecture, 1, kNext);
  add(kReturn, SECCOMP_RET_KILL_PROCESS);
  add(kLoad, offsetof(seccomp_data, nr));
  add(BPF_JMP | BPF_JGE | BPF_K, kOtherEntry, kNext, 1);
  add(kReturn, SECCOMP_RET_KILL_PROCESS);
  for (const std::uint32_t number : kForbidden) {
    add(kIfEqual, number, kNext, 1);
    add(kReturn, kRefuse);
  }
  add(kIfEqual, SYS_clone3, kNext, 1);
  add(kReturn, kUnknown);
  add(kIfEqual, SYS_clone, kNext, 4);
  add(kLoad, half_of_argument(0, 0));
  add(kIfSet, CLONE_THREAD, kNext, 1);
  add(kReturn, SECCOMP_RET_ALLOW);
  add(kReturn, kRefuse);
  add(kIfEqual, SYS_execve, 1, kNext);
  add(kReturn, SECCOMP_RET_ALLOW);
  add(BPF_LD | BPF_IMM, 0);
  add(BPF_ST, 0);
  for (std::size_t half = 0; half < 4; ++half) {
    add(kLoad, half_of_argument(4 + half / 2, half % 2));
    add(BPF_ALU | BPF_SUB | BPF_K, static_cast<std::uint32_t>(key[half / 2] >> (half % 2 * 32)));
    add(BPF_LDX | BPF_MEM, 0);
    add(BPF_ALU | BPF_OR | BPF_X, 0);
    add(BPF_ST, 0);
  }
  add(kIfEqual, 0, kNext, 1);
  add(kReturn, SECCOMP_RET_ALLOW);
  add(kReturn, kRefuse);
}

Result<SubprocessFilter> SubprocessFilter::make() {
  Key key{};
  if (::getrandom(key.data(), sizeof key, 0) != sizeof key) return last_error("getrandom");
  return SubprocessFilter(key);
}

// That it was loaded is seen, too: a filter above ours may answer seccomp(2) in the kernel's place.
bool SubprocessFilter::install() const noexcept {
  const sock_fprog program{count_, const_cast<sock_filter*>(steps_.data())};
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) return false;
  return outcome(::syscall(SYS_execveat, -1, nullptr, nullptr, nullptr, 0, 0)) == EPERM;
}

void SubprocessFilter::execute(const char* path, char* const* argv,
                               char* const* environment) const noexcept {
  (void)::syscall(SYS_execve, path, argv, environment, 0, key_[0], key_[1]);
}

std::string try_subprocess_filter() {
  const auto filter = SubprocessFilter::make();
  if (!filter.ok()) return {};
  Trial trial{*filter};
  alignas(16) std::array<std::byte, 16UL << 10> stack;
  constexpr int kFlags = CLONE_VM | CLONE_VFORK | SIGCHLD;
  const pid_t child = ::clone(run_trial, stack.data() + stack.size(), kFlags, &trial);
  if (child < 0) return {};
  (void)::waitpid(child, nullptr, 0);
  if (trial.installed != 0) return {};
  const std::pair<const char*, int> lines[] = {{"thread", trial.thread},
                                               {"process", trial.clone},
                                               {"execve", trial.execve},
                                               {"execveat", trial.execveat}};
  std::string text;
  for (const auto& [name, code] : lines) {
    text += std::string("probe.subprocess_") + name + "=" + std::to_string(code) + "\n";
  }
  return text;
}

}  // namespace lazaret::os
