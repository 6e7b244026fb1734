#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

namespace lazaret {

#if defined(__GLIBCXX__) && !defined(_GLIBCXX_HAVE_LINUX_FUTEX)

// WHY: a wait with a stop token ends with the destructor of a std::stop_callback, which waits for
// one that is running, and that can last for ever in libstdc++ 12 where there are no futexes: it
// looks at the value before it takes the lock under which the wake-up is sent.

/// A condition variable whose waits end at a stop, at which they look every 10 ms.
class Condition {
 public:
  using Clock = std::chrono::steady_clock;

  void notify_one() noexcept { changed_.notify_one(); }
  void notify_all() noexcept { changed_.notify_all(); }

  template <class Ready>
  bool wait(std::unique_lock<std::mutex>& lock, const std::stop_token& stop, Ready ready) {
    return wait_until(lock, stop, Clock::time_point::max(), std::move(ready));
  }

  template <class Ready>
  bool wait_until(std::unique_lock<std::mutex>& lock, const std::stop_token& stop,
                  Clock::time_point at, Ready ready) {
    for (auto now = Clock::now(); !ready(); now = Clock::now()) {
      if (stop.stop_requested() || now >= at) return false;
      changed_.wait_until(lock, std::min(at, now + std::chrono::milliseconds(10)));
    }
    return true;
  }

 private:
  std::condition_variable changed_;
};

#else

/// A condition variable whose waits end at a stop; each says whether what it waits for holds.
using Condition = std::condition_variable_any;

#endif

}  // namespace lazaret
