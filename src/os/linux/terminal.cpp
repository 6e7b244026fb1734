#include "os/terminal.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <utility>

#include "os/handle.hpp"
#include "os/linux/wait.hpp"

namespace lazaret::os {

std::optional<TerminalSize> terminal_size(int number) {
  winsize size{};
  if (::ioctl(number, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0)
    return std::nullopt;
  return TerminalSize{size.ws_row, size.ws_col};
}

struct RawTerminal::Body {
  termios before{};
};

namespace {

std::atomic<bool> lent = false;
termios as_it_was{};  // while it is lent

// Not TCSADRAIN: nobody may read what is still to be shown. In the background it is not ours any
// more, and a change would stop us (SIGTTOU).
void give_back_at_once() {
  const bool is_ours = lent && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
  if (is_ours) (void)::tcsetattr(STDIN_FILENO, TCSANOW, &as_it_was);
}

}  // namespace

RawTerminal::RawTerminal() {
  termios found{};
  if (::tcgetattr(STDIN_FILENO, &found) != 0) return;
  body_ = std::make_unique<Body>(Body{found});
  [[maybe_unused]] static const int registered = std::at_quick_exit(give_back_at_once);
  as_it_was = found;
  lent = true;
  ::cfmakeraw(&found);
  (void)::tcsetattr(STDIN_FILENO, TCSADRAIN, &found);
}

RawTerminal::~RawTerminal() {
  if (body_) (void)::tcsetattr(STDIN_FILENO, TCSAFLUSH, &body_->before);
  lent = false;
}

struct SizeWatch::Body {
  sigset_t before{};
  Handle changes;
  std::jthread thread;
};

SizeWatch::SizeWatch(std::function<void(TerminalSize)> changed) : body_(std::make_unique<Body>()) {
  sigset_t signals, all;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGWINCH);
  ::sigfillset(&all);
  // The thread shall hear of nothing else: its default would be the end of us.
  ::pthread_sigmask(SIG_SETMASK, &all, &body_->before);
  body_->changes.reset(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  body_->thread = std::jthread(
      [changes = body_->changes.get(), changed = std::move(changed)](const std::stop_token& stop) {
        while (wait_for(changes, POLLIN, Call{Deadline::never(), stop}).ok()) {
          signalfd_siginfo drained;
          if (::read(changes, &drained, sizeof drained) < 0) continue;
          if (const auto size = terminal_size(STDOUT_FILENO)) changed(*size);
        }
      });
  ::pthread_sigmask(SIG_SETMASK, &body_->before, nullptr);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

SizeWatch::~SizeWatch() {
  body_->thread = {};
  ::pthread_sigmask(SIG_SETMASK, &body_->before, nullptr);
}

}  // namespace lazaret::os
