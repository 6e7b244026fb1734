#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <type_traits>

#include "base/try.hpp"
#include "os/error.hpp"
#include "os/init.hpp"
#include "os/pipe.hpp"

namespace lazaret::os {
namespace {

// Everything that the child needs, prepared before fork.
struct Plan {
  char* const* argv;
  char* const* environment;
  const char* working_directory;
  int handles[4];
  rlim_t cpu_seconds;
  int report;
};
static_assert(std::is_trivially_destructible_v<Plan>);

struct Report {
  int step;
  int code;
};

constexpr const char* kSteps[] = {"setsid", "descriptors", "limits", "chdir", "exec"};

[[noreturn]] void fail(int report, int step) noexcept {
  const Report message{step, errno};
  (void)!::write(report, &message, sizeof message);
  ::_exit(127);
}

void reset_signals() noexcept {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) (void)::sigaction(number, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  (void)::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// The sources lie above 3 (pipes made by a process whose 0 to 2 are open), so no target is a
// source.
bool place_descriptors(const Plan& plan) noexcept {
  for (int target = 0; target < 4; ++target) {
    if (::dup2(plan.handles[target], target) < 0) return false;
  }
  if (::dup3(plan.report, 4, O_CLOEXEC) < 0) return false;
  return ::syscall(SYS_close_range, 5U, ~0U, 0U) == 0;
}

bool set_limits(const Plan& plan) noexcept {
  if (plan.cpu_seconds == 0) return true;
  // One second between the two, so that SIGXCPU arrives first and tells the cause (L-02).
  const rlimit limit{plan.cpu_seconds, plan.cpu_seconds + 1};
  return ::setrlimit(RLIMIT_CPU, &limit) == 0;
}

// SAFETY: runs between fork and exec: system calls only.
[[noreturn]] void become_program(const Plan& plan) noexcept {
  reset_signals();
  (void)::umask(022);
  if (::setsid() < 0) fail(plan.report, 0);
  if (!place_descriptors(plan)) fail(plan.report, 1);
  if (!set_limits(plan)) fail(4, 2);
  if (::chdir(plan.working_directory) != 0) fail(4, 3);
  ::environ = const_cast<char**>(plan.environment);  // execvp(3) looks PATH up here
  ::execvp(plan.argv[0], plan.argv);
  fail(4, 4);
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// A descriptor that is safe from being overwritten by dup2 onto 0 to 4.
Result<Handle> above_standard(int descriptor) {
  Handle moved(::fcntl(descriptor, F_DUPFD_CLOEXEC, 5));
  if (!moved.valid()) return last_error("fcntl");
  return moved;
}

Result<std::int64_t> started(pid_t child, int report) {
  Report message{};
  ssize_t count = 0;
  do {
    count = ::read(report, &message, sizeof message);
  } while (count < 0 && errno == EINTR);
  if (count != sizeof message) return std::int64_t{child};
  (void)::waitpid(child, nullptr, 0);
  return Error(Errc::start_failed, kSteps[message.step]).with_os_error(message.code);
}

}  // namespace

Result<std::int64_t> spawn(const SpawnRequest& request) {
  const std::vector<char*> argv = pointers_to(request.argv);
  const std::vector<char*> environment = pointers_to(request.environment);
  LAZARET_TRY(auto report, make_pipe());
  LAZARET_TRY(Handle report_out, above_standard(report.second.get()));
  report.second.reset();
  std::vector<Handle> sources;
  Plan plan{argv.data(), environment.data(),  request.working_directory.c_str(),
            {},          request.cpu_seconds, report_out.get()};
  for (std::size_t index = 0; index < request.handles.size(); ++index) {
    LAZARET_TRY(Handle source, above_standard(request.handles[index]));
    plan.handles[index] = source.get();
    sources.push_back(std::move(source));
  }
  const pid_t child = ::fork();
  if (child < 0) return Error(Errc::start_failed, "fork").with_os_error(errno);
  if (child == 0) become_program(plan);
  sources.clear();
  report_out.reset();
  return started(child, report.first.get());
}

}  // namespace lazaret::os
