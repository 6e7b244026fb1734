#include "os/user.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <thread>

#include "os/linux/load.hpp"
#include "os/linux/system_file.hpp"
#include "os/linux/wait.hpp"

namespace lazaret::os {

std::optional<std::string> variable(std::string_view name) {
  const char* const value = ::getenv(std::string(name).c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

std::filesystem::path home_directory() { return variable("HOME").value_or(""); }

std::optional<std::uint64_t> user_id() { return ::geteuid(); }

unsigned processors() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(CPU_COUNT(&set));
}

bool is_crowded() {
  static const long online = ::sysconf(_SC_NPROCESSORS_ONLN);
  const auto ready = ready_in(text_of_system_file(AT_FDCWD, "/proc/loadavg"));
  return online > 0 && ready > static_cast<std::uint64_t>(online);
}

RawHandle standard_stream(int number) { return number; }

bool is_terminal(int number) { return ::isatty(number) == 1; }

bool is_directory(int number) {
  struct stat facts {};
  return ::fstat(number, &facts) == 0 && S_ISDIR(facts.st_mode);
}

bool is_at_end(int number) {
  struct stat facts {};
  if (::fstat(number, &facts) != 0) return false;
  if (S_ISREG(facts.st_mode)) {  // whose size some file systems do not tell, such as proc(5)
    char next = 0;
    const off_t at = ::lseek(number, 0, SEEK_CUR);
    return at >= 0 && ::pread(number, &next, 1, at) == 0;
  }
  return S_ISCHR(facts.st_mode) && facts.st_rdev == makedev(1, 3);  // null(4)
}

std::string read_standard_input(const std::stop_token& stop) {
  std::array<char, 32768> part{};
  for (;;) {
    if (!wait_for(STDIN_FILENO, POLLIN, Call{Deadline::never(), stop}).ok()) return {};
    const ssize_t count = ::read(STDIN_FILENO, part.data(), part.size());
    if (count > 0) return std::string(part.data(), static_cast<std::size_t>(count));
    if (count == 0 || (errno != EINTR && errno != EAGAIN)) return {};
  }
}

std::size_t write_without_waiting(int number, std::string_view text) {
  constexpr std::size_t kPipeAtom = 4096;  // POLLOUT promises that this much fits, pipe(7)
  std::size_t written = 0;
  while (written < text.size()) {
    pollfd entry{number, POLLOUT, 0};
    if (::poll(&entry, 1, 0) != 1 || (entry.revents & POLLOUT) == 0) break;
    const std::string_view piece = text.substr(written, kPipeAtom);
    const ssize_t count = ::write(number, piece.data(), piece.size());
    if (count <= 0) break;
    written += static_cast<std::size_t>(count);
  }
  return written;
}

void ignore_broken_pipes() {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  (void)::sigaction(SIGPIPE, &ignore, nullptr);
}

bool is_reader_gone(int number) {
  pollfd entry{number, 0, 0};
  return ::poll(&entry, 1, 0) == 1 && (entry.revents & (POLLERR | POLLHUP)) != 0;
}

void hold_standard_streams() {
  for (int number = 0; number <= STDERR_FILENO; ++number) {
    if (::fcntl(number, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is this one.
    const int wrong_way = number == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::open("/dev/null", wrong_way) != number) std::abort();
  }
}

struct InterruptWatch::Body {
  sigset_t signals{};
  sigset_t before{};
  std::atomic<bool> over{false};
  std::jthread thread;
};

InterruptWatch::InterruptWatch(std::function<void()> interrupt) : body_(std::make_unique<Body>()) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR2}) {
    // What the caller ignores, as nohup(1) does, is no interrupt; blocked, it would be queued.
    struct sigaction now {};
    (void)::sigaction(number, nullptr, &now);
    if (now.sa_handler != SIG_IGN) ::sigaddset(&body_->signals, number);
  }
  ::sigaddset(&body_->signals, SIGUSR2);
  ::pthread_sigmask(SIG_BLOCK, &body_->signals, &body_->before);
  body_->thread = std::jthread([body = body_.get(), interrupt = std::move(interrupt)] {
    for (int seen = 0, number = 0;; ++seen) {
      while (::sigwait(&body->signals, &number) != 0) {
      }
      if (body->over) return;
      if (seen > 0) std::quick_exit(130);
      interrupt();
    }
  });
}

InterruptWatch::~InterruptWatch() {
  body_->over = true;
  ::pthread_kill(body_->thread.native_handle(), SIGUSR2);  // only wakes our own thread
  body_->thread.join();
  ::pthread_sigmask(SIG_SETMASK, &body_->before, nullptr);
}

}  // namespace lazaret::os
