#include "os/user.hpp"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <thread>

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

RawHandle standard_stream(int number) { return number; }

bool is_terminal(int number) { return ::isatty(number) == 1; }

std::string read_standard_input(const std::stop_token& stop) {
  std::array<char, 32768> part{};
  for (;;) {
    if (!wait_for(STDIN_FILENO, POLLIN, Call{Deadline::never(), stop}).ok()) return {};
    const ssize_t count = ::read(STDIN_FILENO, part.data(), part.size());
    if (count > 0) return std::string(part.data(), static_cast<std::size_t>(count));
    if (count == 0 || (errno != EINTR && errno != EAGAIN)) return {};
  }
}

struct InterruptWatch::Body {
  sigset_t signals{};
  std::atomic<bool> over{false};
  std::jthread thread;
};

InterruptWatch::InterruptWatch(std::function<void()> interrupt) : body_(std::make_unique<Body>()) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR2}) ::sigaddset(&body_->signals, number);
  ::pthread_sigmask(SIG_BLOCK, &body_->signals, nullptr);
  body_->thread = std::jthread([body = body_.get(), interrupt = std::move(interrupt)] {
    for (int seen = 0, number = 0;; ++seen) {
      while (::sigwait(&body->signals, &number) != 0) {
      }
      if (body->over) return;
      if (seen > 0) ::_exit(130);
      interrupt();
    }
  });
}

InterruptWatch::~InterruptWatch() {
  body_->over = true;
  ::pthread_kill(body_->thread.native_handle(), SIGUSR2);  // only wakes our own thread
  body_->thread.join();
}

}  // namespace lazaret::os
