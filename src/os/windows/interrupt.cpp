#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/guarded.hpp"
#include "os/user.hpp"
#include "os/windows/sdk.hpp"

namespace lazaret::os {

struct InterruptWatch::Body {
  std::mutex mutex;
  std::condition_variable changed;
  int seen = 0;
  bool over = false;
  std::jthread thread;

  void interrupted() {
    constexpr UINT kInterruptedStatus = 130;
    const std::scoped_lock lock(mutex);
    if (++seen > 1) ::TerminateProcess(::GetCurrentProcess(), kInterruptedStatus);
    changed.notify_all();
  }

  void finish() {
    const std::scoped_lock lock(mutex);
    over = true;
    changed.notify_all();
  }

  /// Whether there was an interrupt before the watch was over.
  bool await() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return over || seen > 0; });
    return !over;
  }
};

namespace {

// WHY: the system calls the handler without a word about whose it is, so its watch is found here.
// The lock keeps the watch alive while a handler is at it.
Guarded<std::function<void()>>& current() {
  static Guarded<std::function<void()>> instance;
  return instance;
}

BOOL WINAPI on_console_event(DWORD event) {
  const bool ours = current().with([](const std::function<void()>& interrupted) {
    if (interrupted) interrupted();
    return static_cast<bool>(interrupted);
  });
  if (!ours) return FALSE;
  // When the console closes or the user leaves, the process ends as soon as this returns, and some
  // seconds later anyway; main tidies up until then.
  if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) ::Sleep(INFINITE);
  return TRUE;
}

}  // namespace

InterruptWatch::InterruptWatch(std::function<void()> interrupt) : body_(std::make_unique<Body>()) {
  body_->thread = std::jthread([body = body_.get(), interrupt = std::move(interrupt)] {
    if (body->await()) interrupt();
  });
  current().with([body = body_.get()](std::function<void()>& interrupted) {
    interrupted = [body] { body->interrupted(); };
  });
  ::SetConsoleCtrlHandler(on_console_event, TRUE);
}

InterruptWatch::~InterruptWatch() {
  ::SetConsoleCtrlHandler(on_console_event, FALSE);
  current().with([](std::function<void()>& interrupted) { interrupted = nullptr; });
  body_->finish();
  body_->thread.join();
}

}  // namespace lazaret::os
