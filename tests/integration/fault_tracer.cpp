#include "integration/fault_tracer.hpp"

#include <fcntl.h>
#include <grp.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <map>
#include <utility>

#include "integration/ptrace.hpp"
#include "integration/shared_mounts.hpp"

namespace lazaret::test {
namespace {

constexpr std::chrono::seconds kTraceBound{15};
constexpr long kHarmless =
    SYS_getpid;  // stands in for a call that is not made; every filter has it
constexpr long kOptions = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
                          PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;

#if defined(__x86_64__)
void change(pid_t pid, std::optional<long> number, std::optional<long> result) {
  user_regs_struct registers{};
  if (::ptrace(PTRACE_GETREGS, pid, nullptr, &registers) != 0) return;
  if (number) registers.orig_rax = static_cast<unsigned long long>(*number);
  if (result) registers.rax = static_cast<unsigned long long>(*result);
  (void)::ptrace(PTRACE_SETREGS, pid, nullptr, &registers);
}
#else
void change(pid_t, std::optional<long>, std::optional<long>) {}
#endif

// By which the tracer learns that from here on it is Lazaret that calls.
constexpr long kMark = SYS_getpriority;
constexpr std::uint64_t kMarkedBy = 0x7a12a2e7;

bool is_spawner(pid_t pid) {
  return file_text("/proc/" + std::to_string(pid) + "/cmdline").starts_with("lazaret-spawner");
}

Role child_of(Role parent) {
  switch (parent) {
    case Role::other:
    case Role::lazaret: return parent;
    case Role::spawner: return Role::ground;
    case Role::ground: return Role::box;
    case Role::box:
    case Role::program: return Role::program;
  }
  return Role::program;
}

// A file in memory that both sides have: what is written is read however the writer ended.
class Paper {
 public:
  Paper() : file_(::memfd_create("lazaret-test", MFD_CLOEXEC)) {}
  Paper(const Paper&) = delete;
  Paper& operator=(const Paper&) = delete;
  ~Paper() { ::close(file_); }
  void write(const std::string& text) const { (void)!::write(file_, text.data(), text.size()); }
  [[nodiscard]] std::string read() const {
    std::string text(1UL << 20, '\0');
    const ssize_t count = ::pread(file_, text.data(), text.size(), 0);
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return text;
  }

 private:
  int file_;
};

std::string host_name() {
  utsname facts{};
  (void)::uname(&facts);
  return facts.nodename;
}

// And root's groups, so that it shows whether a box has lost them.
bool take_own_mounts() {
  if (::geteuid() != 0) return true;
  const gid_t groups[] = {0, kOrdinaryUser};
  return ::setgroups(std::size(groups), groups) == 0 &&
         ::unshare(CLONE_NEWNS | CLONE_NEWUTS) == 0 &&
         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("none", "/", nullptr, MS_REC | MS_SHARED, nullptr) == 0;
}

// The traced caller. `gate` opens when it is traced.
[[noreturn]] void call_lazaret(Caller caller, const ExecutionRequest& request, const Paper& paper,
                               int gate) {
  char go = 0;
  if (::read(gate, &go, 1) != 1 || !take_own_mounts()) ::_exit(1);
  const SharedMounts mounts;
  const std::string name = host_name();
  const auto text =
      in_child(caller, [&request] {
        const CodeSandbox sandbox = sandbox_on("native");
        (void)::syscall(kMark, PRIO_PROCESS, kMarkedBy);
        return to_json(sandbox.execute(request));
      });
  Json seen;
  seen["result"] = text ? Json::parse(*text) : Json();
  seen["mounted"] = mounts.changed();
  seen["renamed"] = host_name() == name ? "" : host_name();
  paper.write(seen.dump());
  ::_exit(0);
}

// Everything that one run starts, until it is all over.
class Tracer {
 public:
  // Without a role all calls are looked at.
  Tracer(pid_t first, const Answer& answer, const Weakening& weakening, std::optional<Role> role,
         Observed& observed)
      : answer_(answer), weakening_(weakening), role_(role), observed_(observed) {
    tracees_[first] = {};
  }

  void follow() {
    for (;;) {
      int status = 0;
      const pid_t pid = ::waitpid(-1, &status, __WALL);
      if (pid < 0 && errno == ECHILD) return;
      if (pid < 0) {
        end_all();
        continue;
      }
      if (WIFSTOPPED(status)) {
        stopped(pid, status);
      } else {
        tracees_.erase(pid);
      }
    }
  }

 private:
  struct Tracee {
    Role role = Role::other;
    bool known = true;    // its parent has told us of it
    bool inside = false;  // between a call's entry and its exit
    std::optional<long> result = {};
  };

  // The bell of the timer has rung: the end of the first is not the end of what it started.
  void end_all() {
    observed_.overdue = true;
    for (const auto& [pid, tracee] : tracees_) ::kill(pid, SIGKILL);
  }

  void stopped(pid_t pid, int status) {
    const auto [entry, is_new] = tracees_.try_emplace(pid, Tracee{.known = false});
    // A child may stop before its parent has told whose it is; it goes on when that is known.
    if (is_new || !entry->second.known) return;
    const int signal = WSTOPSIG(status), event = status >> 16;
    if (signal == kSystemCallStop) {
      system_call(pid, entry->second);
    } else if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) {
      (void)::ptrace(PTRACE_LISTEN, pid, nullptr, nullptr);
      return;
    } else if (event == PTRACE_EVENT_EXEC) {
      if (executed(pid, entry->second)) return;
    } else if (event != 0 && event != PTRACE_EVENT_STOP) {
      started(pid, entry->second.role);
    } else if (event == 0) {
      deliver(pid, entry->second, signal);
      return;
    }
    go_on(pid, entry->second, 0);
  }

  // The first process of a pid namespace dies of a fault of its own, but not while it is traced.
  void deliver(pid_t pid, const Tracee& tracee, long signal) {
    if (signal != SIGSEGV && signal != SIGILL && signal != SIGBUS)
      return go_on(pid, tracee, signal);
    (void)::ptrace(PTRACE_DETACH, pid, nullptr, signal);
    tracees_.erase(pid);
  }

  // Who is it that Lazaret has been asked by, is seen by a call.
  [[nodiscard]] bool is_looked_at(const Tracee& tracee) const {
    if (!role_ || tracee.result) return true;
    return !observed_.hit && (tracee.role == *role_ || (tracee.role == Role::other && !is_asked_));
  }

  void go_on(pid_t pid, const Tracee& tracee, long signal) const {
    (void)::ptrace(is_looked_at(tracee) ? PTRACE_SYSCALL : PTRACE_CONT, pid, nullptr, signal);
  }

  void started(pid_t parent, Role role) {
    unsigned long child = 0;
    if (::ptrace(PTRACE_GETEVENTMSG, parent, nullptr, &child) != 0) return;
    const auto [entry, is_new] = tracees_.try_emplace(static_cast<pid_t>(child), Tracee{});
    entry->second.role = child_of(role);
    entry->second.known = true;
    if (!is_new) go_on(static_cast<pid_t>(child), entry->second, 0);
  }

  // True when it goes its own way from here.
  bool executed(pid_t pid, Tracee& tracee) {
    if (tracee.role == Role::lazaret)
      tracee.role = is_spawner(pid) ? Role::spawner : Role::other;
    if (tracee.role != Role::program) return false;
    observed_.executed = true;
    observed_.outside = file_text("/proc/" + std::to_string(pid) + "/status");
    (void)::ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
    tracees_.erase(pid);
    return true;
  }

  void system_call(pid_t pid, Tracee& tracee) {
    __ptrace_syscall_info info{};
    if (::ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) <= 0) return;
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
      entered(pid, tracee, info);
    } else if (tracee.result) {
      change(pid, {}, std::exchange(tracee.result, {}));
    }
  }

  void entered(pid_t pid, Tracee& tracee, const __ptrace_syscall_info& info) {
    const auto number = static_cast<long>(info.entry.nr);
    if (number == kMark && info.entry.args[1] == kMarkedBy) {
      tracee.role = Role::lazaret;
      is_asked_ = true;
    }
    if (tracee.role == Role::other) return;
    const CallSite site{tracee.role, number, ++counts_[{tracee.role, number}]};
    if (!observed_.executed) observed_.calls.push_back(site);
    if (site.role == weakening_.role) weaken(pid, info);
    std::uint64_t arguments[6];
    std::ranges::copy(info.entry.args, arguments);
    if (answer_) tracee.result = answer_(site, arguments);
    if (!tracee.result) return;
    observed_.hit = true;
    if (number == SYS_write && tracee.result == 0)
      tracee.result = static_cast<long>(info.entry.args[2]);
    change(pid, kHarmless, {});
  }

  void weaken(pid_t pid, const __ptrace_syscall_info& info) {
    const auto& arguments = info.entry.args;
    if (info.entry.nr == SYS_clone3) take_flags(pid, arguments[0]);
    if (info.entry.nr != SYS_mount || weakening_.mount.empty()) return;
    if (text_at(pid, arguments[1]) == weakening_.mount) take_bounds(pid, arguments[4]);
  }

  // To tmpfs(5) and proc(5) a 0 is no bound.
  void take_bounds(pid_t pid, std::uint64_t place) {
    std::string options = text_at(pid, place);
    for (const std::string_view name : {"size=", "nr_inodes=", "hidepid="}) {
      std::size_t at = options.find(name);
      if (at == std::string::npos) continue;
      for (at += name.size(); std::isdigit(static_cast<unsigned char>(options[at])) != 0; ++at)
        options[at] = '0';
    }
    const int memory = ::open(memory_of(pid).c_str(), O_WRONLY | O_CLOEXEC);
    const ssize_t count =
        ::pwrite(memory, options.data(), options.size(), static_cast<off_t>(place));
    observed_.hit = observed_.hit || count == static_cast<ssize_t>(options.size());
    ::close(memory);
  }

  static std::string memory_of(pid_t pid) { return "/proc/" + std::to_string(pid) + "/mem"; }

  static std::string text_at(pid_t pid, std::uint64_t place) {
    char text[256] = {};
    const int memory = ::open(memory_of(pid).c_str(), O_RDONLY | O_CLOEXEC);
    (void)::pread(memory, text, sizeof text - 1, static_cast<off_t>(place));
    ::close(memory);
    return text;
  }

  // The first member of struct clone_args.
  void take_flags(pid_t pid, std::uint64_t place) {
    auto* const address = reinterpret_cast<void*>(place);
    errno = 0;
    const auto flags = static_cast<std::uint64_t>(::ptrace(PTRACE_PEEKDATA, pid, address, nullptr));
    if (errno != 0 || (flags & weakening_.flags) == 0) return;
    const bool taken = ::ptrace(PTRACE_POKEDATA, pid, address, flags & ~weakening_.flags) == 0;
    observed_.hit = observed_.hit || taken;
  }

  const Answer& answer_;
  const Weakening& weakening_;
  const std::optional<Role> role_;
  Observed& observed_;
  bool is_asked_ = false;
  std::map<pid_t, Tracee> tracees_;
  std::map<std::pair<Role, long>, unsigned> counts_;
};

// Interrupts waitpid(2) again and again once the time is up.
class Bell {
 public:
  Bell() {
    struct sigaction ring {};
    ring.sa_handler = [](int) {};
    ::sigaction(SIGALRM, &ring, &before_);
    const itimerval when{{0, 100'000}, {kTraceBound.count(), 0}};
    ::setitimer(ITIMER_REAL, &when, nullptr);
  }
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;
  ~Bell() {
    const itimerval never{};
    ::setitimer(ITIMER_REAL, &never, nullptr);
    ::sigaction(SIGALRM, &before_, nullptr);
  }

 private:
  struct sigaction before_ {};
};

}  // namespace

bool can_inject() {
#if defined(__x86_64__)
  return true;
#else
  return false;
#endif
}

namespace {

Observed observe(Caller caller, const ExecutionRequest& request, const Answer& answer,
                 const Weakening& weakening, std::optional<Role> role) {
  Observed observed;
  const Paper paper;
  int gate[2];
  if (::pipe2(gate, O_CLOEXEC) != 0) return observed;
  const pid_t child = ::fork();
  if (child == 0) call_lazaret(caller, request, paper, gate[0]);
  const bool seized = ::ptrace(PTRACE_SEIZE, child, nullptr, kOptions) == 0;
  if (seized) (void)!::write(gate[1], "g", 1);
  ::close(gate[0]), ::close(gate[1]);
  const Bell bell;
  Tracer(child, answer, weakening, role, observed).follow();
  const Json seen = Json::parse(paper.read(), nullptr, false);
  if (!seen.is_object()) return observed;
  observed.result = seen["result"];
  observed.mounted = seen["mounted"];
  observed.renamed = seen["renamed"];
  return observed;
}

}  // namespace

Observed observe_run(Caller caller, const ExecutionRequest& request, const Answer& answer,
                     const Weakening& weakening) {
  return observe(caller, request, answer, weakening, {});
}

Observed observe_fault(Caller caller, const ExecutionRequest& request, const FailedCall& fault) {
  const Answer answer = [&fault](const CallSite& site, Arguments) {
    return site == fault.at ? std::optional(fault.result) : std::nullopt;
  };
  return observe(caller, request, answer, {}, fault.at.role);
}

}  // namespace lazaret::test
