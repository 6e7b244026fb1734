#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>

#include "base/try.hpp"
#include "os/error.hpp"
#include "os/init.hpp"
#include "os/linux/subprocess.hpp"

namespace lazaret::os {
namespace {

constexpr std::size_t kMostDescriptors = 7;

// Everything that the child needs, prepared before clone, and why it came to nothing.
struct Plan {
  char* const* argv;
  char* const* environment;
  std::string_view search_path;
  const char* working_directory;
  std::array<int, kMostDescriptors> handles;
  std::size_t handle_count;
  std::uint64_t ignored_signals;
  rlim_t cpu_seconds;
  bool has_terminal;
  const SubprocessFilter* filter;  // null: processes may be made
  const char* failed_step;
  int failed_code;
};
static_assert(std::is_trivially_destructible_v<Plan>);

// Handlers end with exec; what is ignored stays ignored. The system call itself, because libraries
// keep the signals of their threads from being changed.
bool reset_signals(const Plan& plan) noexcept {
  constexpr std::array<std::uint64_t, 4> kStandard{};  // SIG_DFL, no flags, no restorer, no mask
  constexpr std::uint64_t kNone = 0;
  for (unsigned number = 1; number <= 64; ++number) {
    if ((plan.ignored_signals >> (number - 1) & 1) == 0) continue;
    if (number == SIGKILL || number == SIGSTOP) continue;  // are never ignored, nor to be changed
    if (::syscall(SYS_rt_sigaction, number, kStandard.data(), nullptr, sizeof kNone) != 0)
      return false;
  }
  return ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &kNone, nullptr, sizeof kNone) == 0;
}

// The sources lie above the targets, so no target is a source.
bool place_descriptors(const Plan& plan) noexcept {
  for (std::size_t target = 0; target < plan.handle_count; ++target) {
    if (::dup2(plan.handles[target], static_cast<int>(target)) < 0) return false;
  }
  return ::syscall(SYS_close_range, plan.handle_count, ~0U, 0U) == 0;
}

// The caller's own where that is lower: setrlimit(2) refuses to raise it.
bool set_limits(const Plan& plan) noexcept {
  rlimit found{};
  if (plan.cpu_seconds == 0) return true;
  if (::getrlimit(RLIMIT_CPU, &found) != 0) return false;
  // One second between the two, so that SIGXCPU arrives first and tells the cause (L-02).
  const rlim_t hard = std::min(plan.cpu_seconds + 1, found.rlim_max);
  const rlimit limit{hard > 1 ? hard - 1 : hard, hard};
  return ::setrlimit(RLIMIT_CPU, &limit) == 0;
}

// Returns only when `folder`, empty for the working directory, has no such program.
void execute_in(std::string_view folder, const Plan& plan) noexcept {
  const std::string_view name = plan.argv[0];
  std::array<char, PATH_MAX> path;
  errno = ENAMETOOLONG;
  if (folder.size() + name.size() + 2 > path.size()) return;
  char* end = path.data();
  if (!folder.empty()) {
    end = static_cast<char*>(std::memcpy(end, folder.data(), folder.size())) + folder.size();
    *end++ = '/';
  }
  std::memcpy(end, name.data(), name.size() + 1);
  if (plan.filter == nullptr) {
    ::execve(path.data(), plan.argv, plan.environment);
  } else {
    plan.filter->execute(path.data(), plan.argv, plan.environment);
  }
}

// As execvp(3) looks, but in the program's environment instead of ours, and without handing a file
// of no known format to a shell. Leaves in errno why there was nothing to execute.
void execute(const Plan& plan) noexcept {
  const std::string_view name = plan.argv[0];
  std::string_view left = plan.search_path;
  if (name.empty() || name.find('/') != std::string_view::npos) left = {};
  bool denied = false;
  for (;;) {
    const std::size_t end = std::min(left.find(':'), left.size());
    execute_in(left.substr(0, end), plan);
    denied = denied || errno == EACCES;
    const bool absent = errno == ENOENT || errno == ENOTDIR || errno == EACCES;
    if (!absent) return;
    if (end == left.size()) break;
    left.remove_prefix(end + 1);
  }
  if (denied) errno = EACCES;
}

// Neither is believed by its word: a filter above ours may answer in the kernel's place.
bool lead_session(const Plan&) noexcept {
  errno = 0;
  (void)::umask(022);
  const bool is_done = ::umask(022) == 022 && ::setsid() == ::getpid();
  if (!is_done && errno == 0) errno = ENOSYS;
  return is_done;
}
bool take_terminal(const Plan& plan) noexcept {
  return !plan.has_terminal || ::ioctl(STDIN_FILENO, TIOCSCTTY, 0) == 0;
}
bool enter_directory(const Plan& plan) noexcept { return ::chdir(plan.working_directory) == 0; }
bool deny_subprocesses(const Plan& plan) noexcept {
  return plan.filter == nullptr || plan.filter->install();
}
bool become_program(const Plan& plan) noexcept {
  execute(plan);
  return false;
}

constexpr struct {
  const char* name;
  bool (*take)(const Plan&) noexcept;
} kSteps[] = {
    {"signals", reset_signals},        {"setsid", lead_session}, {"descriptors", place_descriptors},
    {"terminal", take_terminal},       {"limits", set_limits},   {"chdir", enter_directory},
    {"subprocess", deny_subprocesses}, {"exec", become_program},
};

// SAFETY: runs between clone and exec in its parent's memory, on a stack of its own, while the
// parent waits: system calls and that stack only, and nothing is written but the plan's last two
// members and errno.
int run_child(void* argument) {
  Plan& plan = *static_cast<Plan*>(argument);
  for (const auto& step : kSteps) {
    if (step.take(plan)) continue;
    plan.failed_step = step.name;
    plan.failed_code = errno;
    break;
  }
  ::_exit(127);
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Where execvp(3) looks when the environment does not say.
constexpr std::string_view kSearchPath = "/bin:/usr/bin";

std::string_view search_path_in(const std::vector<std::string>& environment) {
  constexpr std::string_view kName = "PATH=";
  for (const std::string_view variable : environment) {
    if (variable.starts_with(kName)) return variable.substr(kName.size());
  }
  return kSearchPath;
}

// The descriptor itself, or a duplicate where dup2 onto the targets would overwrite it.
Result<int> out_of_the_way(int descriptor, Handle& duplicate) {
  constexpr int kFirstFree = kMostDescriptors;
  if (descriptor >= kFirstFree) return descriptor;
  duplicate.reset(::fcntl(descriptor, F_DUPFD_CLOEXEC, kFirstFree));
  if (!duplicate.valid()) return last_error("fcntl");
  return duplicate.get();
}

}  // namespace

Result<std::int64_t> spawn(const SpawnRequest& request) {
  const std::vector<char*> argv = pointers_to(request.argv);
  const std::vector<char*> environment = pointers_to(request.environment);
  std::optional<SubprocessFilter> filter;
  if (request.subprocess == Subprocess::deny) {
    LAZARET_TRY(SubprocessFilter made, SubprocessFilter::make());
    filter.emplace(made);
  }
  Plan plan{.argv = argv.data(),
            .environment = environment.data(),
            .search_path = search_path_in(request.environment),
            .working_directory = request.working_directory.c_str(),
            .handles = {},
            .handle_count = request.handles.size(),
            .ignored_signals = request.ignored_signals,
            .cpu_seconds = request.cpu_seconds,
            .has_terminal = request.has_terminal,
            .filter = filter ? &*filter : nullptr,
            .failed_step = nullptr,
            .failed_code = 0};
  std::array<Handle, kMostDescriptors> duplicates;
  if (request.handles.size() > duplicates.size())
    return Error(Errc::start_failed, "descriptors").with_os_error(EMFILE);
  for (std::size_t index = 0; index < request.handles.size(); ++index) {
    LAZARET_TRY(plan.handles[index], out_of_the_way(request.handles[index], duplicates[index]));
  }
  // The kernel lets us go on at exec or exit: neither a pipe for errors nor a copy of our memory.
  // Clone rather than vfork(2), whose child would return from here on our stack.
  alignas(16) std::array<std::byte, 64UL << 10> stack;
  const pid_t child =
      ::clone(run_child, stack.data() + stack.size(), CLONE_VM | CLONE_VFORK | SIGCHLD, &plan);
  if (child < 0) return Error(Errc::start_failed, "fork").with_os_error(errno);
  if (plan.failed_step == nullptr) return std::int64_t{child};
  (void)::waitpid(child, nullptr, 0);
  return Error(Errc::start_failed, plan.failed_step).with_os_error(plan.failed_code);
}

}  // namespace lazaret::os
