#include "integration/killer.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "integration/ptrace.hpp"

namespace lazaret::test {
namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

[[noreturn]] void become(const Victim& program) {
  const int null = ::open("/dev/null", O_RDWR);
  for (int target = 0; target < 3; ++target) ::dup2(null, target);
  ::closefrom(3);
  const std::vector<char*> argv = pointers_to(program.argv);
  const std::vector<char*> environment = pointers_to(program.environment);
  ::execve(argv[0], argv.data(), environment.data());
  ::_exit(127);
}

bool is_act(std::uint64_t number) {
  static const std::set<std::uint64_t> acts = {
      SYS_write, SYS_pwrite64, SYS_sendto,   SYS_sendmsg, SYS_connect, SYS_openat,
      SYS_clone, SYS_clone3,   SYS_unlinkat, SYS_mkdirat, SYS_fchmod,
#ifdef SYS_mkdir
      SYS_mkdir, SYS_rmdir,    SYS_unlink,   SYS_chmod,   SYS_open,    SYS_vfork,
#endif
  };
  return acts.contains(number);
}

// Looks at each stop of the tracee; true once the point is reached.
class Count {
 public:
  Count(Walked& walked, const std::optional<Point>& point) : walked_(walked), point_(point) {}

  bool reaches(pid_t pid) {
    __ptrace_syscall_info info{};
    (void)::ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info);
    const bool entry = info.op == PTRACE_SYSCALL_INFO_ENTRY;
    if (entry) in_act_ = is_act(info.entry.nr);
    if (!in_act_) return false;
    if (entry) ++walked_.acts;
    const Moment moment = entry ? Moment::before : Moment::after;
    return point_ && walked_.acts == point_->nth && moment == point_->moment;
  }

 private:
  Walked& walked_;
  const std::optional<Point>& point_;
  bool in_act_ = false;
};

}  // namespace

pid_t start(const Victim& program) {
  const pid_t child = ::fork();
  if (child == 0) become(program);
  return child;
}

Walked walk(const Victim& program, const std::optional<Point>& point) {
  Walked walked;
  const pid_t child = ::fork();
  if (child == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(126);
    (void)::raise(SIGSTOP);
    become(program);
  }
  int status = 0;
  (void)::waitpid(child, &status, 0);
  constexpr long kTraced = PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC;
  (void)::ptrace(PTRACE_SETOPTIONS, child, nullptr, kTraced);
  Count count(walked, point);
  for (int signal = 0, executed = 0;;) {
    (void)::ptrace(PTRACE_SYSCALL, child, nullptr, signal);
    if (::waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) break;
    const bool event = status >> 16 != 0, call = WSTOPSIG(status) == kSystemCallStop;
    if (event) executed = 1;
    signal = event || call ? 0 : WSTOPSIG(status);
    if (!call || executed == 0 || !count.reaches(child)) continue;
    walked.killed = ::kill(child, SIGKILL) == 0;
    (void)::waitpid(child, &status, 0);
    break;
  }
  if (WIFEXITED(status)) walked.status = WEXITSTATUS(status);
  return walked;
}

}  // namespace lazaret::test
