#include "os/init.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/try.hpp"
#include "os/error.hpp"
#include "os/linux/system_file.hpp"
#include "os/pipe.hpp"

namespace lazaret::os {
namespace {

constexpr int kFirstPrivateDescriptor = 10;
constexpr const char* kChildren = "/proc/thread-self/children";

Result<Handle> moved_up(int descriptor) {
  Handle moved(::fcntl(descriptor, F_DUPFD_CLOEXEC, kFirstPrivateDescriptor));
  if (!moved.valid()) return last_error("fcntl F_DUPFD_CLOEXEC");
  LAZARET_CHECK(set_nonblocking(moved.get()));
  return moved;
}

Status replace_with_null(int first, int last) {
  const Handle null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null.valid()) return last_error("opening /dev/null");
  for (int descriptor = first; descriptor <= last; ++descriptor) {
    if (::dup2(null.get(), descriptor) < 0) return last_error("dup2");
  }
  return {};
}

std::string proc_text(std::int64_t process, const std::string& name) {
  return text_of_system_file(AT_FDCWD, ("/proc/" + std::to_string(process) + name).c_str());
}

// `field` with the line break before it: the first line is the process's own word.
std::uint32_t kib_in(std::string_view status, std::string_view field) {
  const std::size_t at = status.find(field);
  if (at == std::string_view::npos || status.find(" kB", at) == std::string_view::npos) return 0;
  return static_cast<std::uint32_t>(number_at(status, at + field.size(), 10).value_or(0));
}

constexpr std::string_view kResident = "\nVmRSS:", kPeak = "\nVmHWM:";

Handle proc_file(const std::string& name) {
  return Handle(::open(("/proc/" + name).c_str(), O_RDONLY | O_CLOEXEC));
}

// All of it that can be of interest, once more each time it is asked.
std::string text_now(const Handle& file) {
  std::array<char, 4096> text;
  const ssize_t count = file.valid() ? ::pread(file.get(), text.data(), text.size(), 0) : 0;
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
}

// proc_pid_stat(5): the words from this field on, with a blank before each. The second field is the
// name, in which anything may stand.
std::string_view from_field(std::string_view stat, int field) {
  std::size_t at = stat.rfind(')');
  for (int passed = 2; passed < field && at != std::string_view::npos; ++passed)
    at = stat.find(' ', at + 1);
  return at == std::string_view::npos ? "" : stat.substr(at);
}

// For whom the kernel does not let look there is no stack.
std::string mark_in(std::string_view stat) {
  constexpr int kStartCode = 26, kStartStack = 28, kStackPointer = 29, kStartData = 45,
                kExitCode = 52;
  const auto fields = [stat](int first, int behind) {
    return from_field(stat, first).substr(0, from_field(stat, first).size() -
                                                 from_field(stat, behind).size());
  };
  const std::string_view stack = fields(kStartStack, kStackPointer);
  if (stack.empty() || stack == " 0") return "";
  return std::string(fields(kStartCode, kStackPointer)) +
         std::string(fields(kStartData, kExitCode));
}

Status dispose(int signal, void (*disposition)(int)) {
  struct sigaction action {};
  action.sa_handler = disposition;
  if (::sigaction(signal, &action, nullptr) != 0) return last_error("sigaction");
  return {};
}

Status send_signal(std::int64_t target, std::uint32_t signal) {
  if (::kill(static_cast<pid_t>(target), static_cast<int>(signal)) == 0) return {};
  if (errno == ESRCH) return Error(Errc::not_found, "no process left");
  return last_error("kill");
}

Result<Handle> child_changes() {
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGCHLD);
  if (::sigprocmask(SIG_BLOCK, &mask, nullptr) != 0) return last_error("sigprocmask");
  Handle handle(::signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!handle.valid()) return last_error("signalfd");
  return handle;
}

}  // namespace

Result<InitHandles> become_init() {
  LAZARET_CHECK(dispose(SIGPIPE, SIG_IGN));
  // A file that is put may be larger than the box's limit: an error then, not our end.
  LAZARET_CHECK(dispose(SIGXFSZ, SIG_IGN));
  // Started with it ignored, we would never learn of a child's end (P-54).
  LAZARET_CHECK(dispose(SIGCHLD, SIG_DFL));
  InitHandles handles;
  LAZARET_TRY(handles.wire_in, moved_up(STDIN_FILENO));
  LAZARET_TRY(handles.wire_out, moved_up(STDOUT_FILENO));
  LAZARET_CHECK(replace_with_null(STDIN_FILENO, STDOUT_FILENO));
  LAZARET_TRY(handles.children, child_changes());
  return handles;
}

Status shut_off() {
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return last_error("prctl PR_SET_DUMPABLE");
  return {};
}

std::uint32_t process_id() { return static_cast<std::uint32_t>(::getpid()); }

std::optional<Ended> reap(RawHandle children) {
  signalfd_siginfo drained;
  (void)::read(children, &drained, sizeof drained);
  int status = 0;
  const pid_t pid = ::waitpid(-1, &status, WNOHANG);
  if (pid <= 0) return std::nullopt;
  if (WIFSIGNALED(status)) return Ended{pid, true, static_cast<std::uint32_t>(WTERMSIG(status))};
  return Ended{pid, false, static_cast<std::uint32_t>(WEXITSTATUS(status))};
}

// WHY look first: kill(-1) walks all processes of the host. What a program starts descends from the
// box's init, and becomes its child when it loses its parent (pid_namespaces(7)).
Status signal_all(std::int64_t leader, std::uint32_t signal) {
  if (::getpid() != 1) return send_signal(-leader, signal);
  siginfo_t ended{};
  const bool alone = ::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0;
  if (alone && errno == ECHILD) return Error(Errc::not_found, "no process left");
  // SAFETY: kill(-1) reaches every process we may signal; only as init of a pid namespace is that
  // exactly the box.
  return send_signal(-1, signal);
}

Status signal_group(std::int64_t leader, std::uint32_t signal) {
  return send_signal(-leader, signal);
}

Status signal_one(std::int64_t child, std::uint32_t signal) { return send_signal(child, signal); }

std::optional<std::vector<std::int64_t>> children() {
  const Handle file(::open(kChildren, O_RDONLY | O_CLOEXEC));
  if (::getpid() != 1 || !file.valid()) return std::nullopt;
  const std::string text = text_of_system_file(AT_FDCWD, kChildren);
  std::vector<std::int64_t> found;
  std::size_t at = 0;
  for (std::size_t end = 0; (end = text.find(' ', at)) != std::string::npos; at = end + 1) {
    if (const auto number = number_at(text, at, 10))
      found.push_back(static_cast<std::int64_t>(*number));
  }
  return found;
}

std::uint64_t cpu_us_of(std::int64_t child) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(static_cast<pid_t>(child), &clock) != 0) return 0;
  if (::clock_gettime(clock, &used) != 0) return 0;
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000 +
         static_cast<std::uint64_t>(used.tv_nsec) / 1000;
}

std::uint32_t resident_kib_of(std::int64_t child) {
  return kib_in(proc_text(child, "/status"), kResident);
}
std::uint32_t peak_kib_of(std::int64_t child) { return kib_in(proc_text(child, "/status"), kPeak); }

Sight::Sight(std::int64_t child)
    : number_(std::to_string(child)),
      stat_(proc_file(number_ + "/stat")),
      status_(proc_file(number_ + "/status")),
      its_children_(proc_file(number_ + "/task/" + number_ + "/children")),
      our_children_(::open(kChildren, O_RDONLY | O_CLOEXEC)) {}

std::string Sight::program_mark() const { return mark_in(text_now(stat_)); }

// A process without a page fault there is none, so that one which was waited for has had some.
bool Sight::is_all(std::string_view mark) const {
  constexpr int kFaultsOfChildren = 11;
  if (text_now(our_children_) != number_ + " " || !its_children_.valid()) return false;
  if (!text_now(its_children_).empty()) return false;
  const std::string stat = text_now(stat_);
  return from_field(stat, kFaultsOfChildren).starts_with(" 0 ") && !mark.empty() &&
         mark_in(stat) == mark;
}

std::uint32_t Sight::peak_kib() const { return kib_in(text_now(status_), kPeak); }

TreeUsage tree_usage() {
  rusage usage{};
  (void)::getrusage(RUSAGE_CHILDREN, &usage);
  const auto micros = [](const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 +
           static_cast<std::uint64_t>(time.tv_usec);
  };
  return {micros(usage.ru_utime) + micros(usage.ru_stime),
          static_cast<std::uint64_t>(usage.ru_maxrss)};
}

Status write_file(const std::string& path, const std::string& content, Existing existing) {
  if (existing == Existing::replace && ::unlink(path.c_str()) != 0 && errno != ENOENT)
    return last_error("replacing " + path);
  const Handle file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file.valid()) return last_error("creating " + path);
  for (Bytes left = bytes_of(content); !left.empty();) {
    LAZARET_TRY(const std::size_t count, write_now(file.get(), left));
    left = left.subspan(count);
  }
  return {};
}

}  // namespace lazaret::os
