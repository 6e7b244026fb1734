#include "os/command.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/try.hpp"
#include "os/error.hpp"
#include "os/handle.hpp"
#include "os/pipe.hpp"

namespace lazaret::os {
namespace {

constexpr std::size_t kTailBytes = 4096;
constexpr std::chrono::seconds kGrace{5};

// Everything that the child needs, prepared before fork.
struct Plan {
  const char* program;
  char* const* argv;
  char* const* environment;
  int handles[4];  // become 0 to 3; the last is where errors are reported
  pid_t parent;
};
static_assert(std::is_trivially_destructible_v<Plan>);

[[noreturn]] void give_up(int report) noexcept {
  const int code = errno;
  (void)!::write(report, &code, sizeof code);
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

// SAFETY: runs between fork and exec: system calls only. The sources lie above 3.
[[noreturn]] void become_program(const Plan& plan) noexcept {
  reset_signals();
  (void)::umask(022);
  if (::setpgid(0, 0) != 0) give_up(plan.handles[3]);
  // WHY: SIGTERM, not SIGKILL: the program can take its temporary files with it.
  if (::prctl(PR_SET_PDEATHSIG, SIGTERM) != 0) give_up(plan.handles[3]);
  if (::getppid() != plan.parent) ::_exit(127);
  for (int target = 0; target < 4; ++target) {
    const int flags = target == 3 ? O_CLOEXEC : 0;
    if (::dup3(plan.handles[target], target, flags) < 0) give_up(plan.handles[3]);
  }
  if (::syscall(SYS_close_range, 4U, ~0U, 0U) != 0) give_up(3);
  ::execve(plan.program, plan.argv, plan.environment);
  give_up(3);
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

bool is_program(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

// Relative entries of PATH are passed over: what they mean depends on where we stand.
std::optional<std::string> found_in_path(const CommandRequest& request) {
  constexpr std::string_view kName = "PATH=";
  for (std::string_view entry : request.environment) {
    if (entry.substr(0, kName.size()) != kName) continue;
    for (entry.remove_prefix(kName.size()); !entry.empty();) {
      const std::size_t colon = std::min(entry.find(':'), entry.size());
      const std::filesystem::path folder(entry.substr(0, colon));
      entry.remove_prefix(std::min(colon + 1, entry.size()));
      const std::filesystem::path program = folder / request.argv.front();
      if (folder.is_absolute() && is_program(program)) return program.string();
    }
  }
  return std::nullopt;
}

Result<Handle> above_three(Handle from) {
  Handle moved(::fcntl(from.get(), F_DUPFD_CLOEXEC, 4));
  if (!moved.valid()) return last_error("fcntl F_DUPFD_CLOEXEC");
  return moved;
}

Result<Handle> empty_input() {
  Handle null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!null.valid()) return last_error("opening /dev/null");
  return above_three(std::move(null));
}

// The pipe's end at our side is made non-blocking; the other one is for the child.
Result<std::pair<Handle, Handle>> pipe_from_child() {
  LAZARET_TRY(auto ends, make_pipe());
  LAZARET_CHECK(set_nonblocking(ends.first.get()));
  LAZARET_TRY(Handle theirs, above_three(std::move(ends.second)));
  return std::pair{std::move(ends.first), std::move(theirs)};
}

// fork(2), and from the first moment a descriptor that means no other process (P-05), even where
// children are collected by themselves and their numbers are free at once.
pid_t fork_with(Handle& process) noexcept {
  int pidfd = -1;
  const long pid = ::syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, nullptr, &pidfd, nullptr, nullptr);
  if (pid > 0) process.reset(pidfd);
  return static_cast<pid_t>(pid);
}

// Until exec has closed the report: nothing, or the errno of the step that failed.
int failure_from(int report) noexcept {
  int code = 0;
  ssize_t count = 0;
  do {
    count = ::read(report, &code, sizeof code);
  } while (count < 0 && errno == EINTR);
  return count == sizeof code ? code : 0;
}

}  // namespace

class Command::Body {
 public:
  explicit Body(std::function<void(std::string_view)> error_line)
      : error_line_(std::move(error_line)) {}
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;
  ~Body();

  [[nodiscard]] Status start(const CommandRequest& request, const std::string& program);
  [[nodiscard]] Result<std::size_t> read(std::span<std::byte> into, const Call& call);
  [[nodiscard]] Result<CommandEnd> finish(const Call& call);
  [[nodiscard]] const std::string& tail() const noexcept { return tail_; }

 private:
  [[nodiscard]] Status drain(const Call& call);
  [[nodiscard]] Status take_errors();
  void note(std::string_view text);
  [[nodiscard]] Status collect();
  void signal_group(int number) const noexcept;

  std::function<void(std::string_view)> error_line_;
  pid_t pid_ = -1;
  Handle process_;  // a pidfd
  Handle output_;
  Handle errors_;
  std::string tail_;
  std::string line_;
  std::optional<CommandEnd> end_;
};

Status Command::Body::start(const CommandRequest& request, const std::string& program) {
  const std::vector<char*> argv = pointers_to(request.argv);
  const std::vector<char*> environment = pointers_to(request.environment);
  LAZARET_TRY(Handle input, empty_input());
  LAZARET_TRY(auto output, pipe_from_child());
  LAZARET_TRY(auto errors, pipe_from_child());
  LAZARET_TRY(auto report, make_pipe());
  LAZARET_TRY(Handle report_in, above_three(std::move(report.second)));
  const Plan plan{program.c_str(),
                  argv.data(),
                  environment.data(),
                  {input.get(), output.second.get(), errors.second.get(), report_in.get()},
                  ::getpid()};
  pid_ = fork_with(process_);
  if (pid_ < 0) return Error(Errc::start_failed, "fork").with_os_error(errno);
  if (pid_ == 0) become_program(plan);
  report_in.reset();
  output_ = std::move(output.first);
  errors_ = std::move(errors.first);
  if (const int code = failure_from(report.first.get()); code != 0) {
    return system_error("starting " + request.argv.front(), code).as(Errc::start_failed);
  }
  return {};
}

Command::Body::~Body() {
  if (!process_.valid()) return;
  error_line_ = nullptr;  // who listens may be gone by now
  if (!end_) {
    signal_group(SIGTERM);
    (void)drain(Call{}.within(kGrace)).ok();
  }
  signal_group(SIGKILL);
  siginfo_t info{};
  (void)::waitid(P_PIDFD, static_cast<id_t>(process_.get()), &info, WEXITED);
}

// Since Linux 6.9 the leader's descriptor means its group. Before, the group's number is nobody
// else's as long as the leader can be collected by us.
void Command::Body::signal_group(int number) const noexcept {
  constexpr unsigned kProcessGroup = 1U << 2;  // PIDFD_SIGNAL_PROCESS_GROUP
  const long sent =
      ::syscall(SYS_pidfd_send_signal, process_.get(), number, nullptr, kProcessGroup);
  if (sent == 0 || errno != EINVAL) return;
  siginfo_t info{};
  const int found =
      ::waitid(P_PIDFD, static_cast<id_t>(process_.get()), &info, WEXITED | WNOHANG | WNOWAIT);
  if (found == 0) (void)::kill(-pid_, number);
}

// Takes what it still says and drops it: a full or closed pipe would keep it from tidying up.
Status Command::Body::drain(const Call& call) {
  std::array<std::byte, 4096> dropped;
  while (!end_) {
    std::array watches{Watch{.handle = process_.get(), .want_read = true},
                       Watch{.handle = errors_.get(), .want_read = true},
                       Watch{.handle = output_.get(), .want_read = true}};
    LAZARET_CHECK(wait_ready(watches, call));
    LAZARET_CHECK(take_errors());
    if (watches[2].ready) {
      LAZARET_TRY(const auto count, read_now(output_.get(), dropped));
      if (count && *count == 0) output_.reset();
    }
    if (watches[0].ready) LAZARET_CHECK(collect());
  }
  return {};
}

void Command::Body::note(std::string_view text) {
  tail_ += text;
  if (tail_.size() > kTailBytes) tail_.erase(0, tail_.size() - kTailBytes);
  for (const char c : text) {
    if (c != '\n' && line_.size() < kTailBytes) line_ += c;
    if (c != '\n') continue;
    if (error_line_) error_line_(line_);
    line_.clear();
  }
}

// All of standard error that is there now.
Status Command::Body::take_errors() {
  std::array<std::byte, 4096> piece;
  while (errors_.valid()) {
    LAZARET_TRY(const auto count, read_now(errors_.get(), piece));
    if (!count) return {};
    if (*count == 0) errors_.reset();
    note(text_of(Bytes(piece).first(*count)));
  }
  return {};
}

Result<std::size_t> Command::Body::read(std::span<std::byte> into, const Call& call) {
  for (;;) {
    std::array watches{Watch{.handle = output_.get(), .want_read = true},
                       Watch{.handle = errors_.get(), .want_read = true}};
    LAZARET_CHECK(wait_ready(watches, call));
    if (watches[1].ready) LAZARET_CHECK(take_errors());
    if (!watches[0].ready) continue;
    LAZARET_TRY(const auto count, read_now(output_.get(), into));
    if (count) return *count;
  }
}

Result<CommandEnd> Command::Body::finish(const Call& call) {
  while (!end_) {
    std::array watches{Watch{.handle = process_.get(), .want_read = true},
                       Watch{.handle = errors_.get(), .want_read = true}};
    LAZARET_CHECK(wait_ready(watches, call));
    LAZARET_CHECK(take_errors());
    if (watches[0].ready) LAZARET_CHECK(collect());
  }
  return *end_;
}

// Leaves the zombie to the destructor, which holds the group's number until then.
Status Command::Body::collect() {
  siginfo_t info{};
  const auto process = static_cast<id_t>(process_.get());
  if (::waitid(P_PIDFD, process, &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
    if (errno != ECHILD) return last_error("waitid");
    end_ = CommandEnd{.known = false};
  }
  if (info.si_pid != 0) end_ = CommandEnd{info.si_code != CLD_EXITED, info.si_status};
  return {};
}

Command::Command(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Command::Command(Command&&) noexcept = default;
Command& Command::operator=(Command&&) noexcept = default;
Command::~Command() = default;

Result<Command> Command::start(CommandRequest request) {
  if (request.argv.empty()) return Error(Errc::invalid_argument, "starting a program: no name");
  const auto program = found_in_path(request);
  if (!program) {
    return Error(Errc::not_found, "starting " + request.argv.front() + ": it is not in PATH");
  }
  auto body = std::make_unique<Body>(std::move(request.error_line));
  LAZARET_CHECK(body->start(request, *program));
  return Command(std::move(body));
}

Result<std::size_t> Command::read(std::span<std::byte> into, const Call& call) {
  return body_->read(into, call);
}

Result<CommandEnd> Command::finish(const Call& call) { return body_->finish(call); }

const std::string& Command::error_tail() const noexcept { return body_->tail(); }

}  // namespace lazaret::os
