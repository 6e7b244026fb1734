#pragma once

#include <deque>
#include <mutex>
#include <utility>

#include "base/call.hpp"
#include "base/condition.hpp"

namespace lazaret {

/// A lock for those who have a Call: one at a time, or as many as are said, 1 and up; nobody waits
/// longer than he may.
class Turn {
 public:
  explicit Turn(unsigned most = 1) noexcept : free_(most) {}

  /// Ends the turn when it goes.
  class Held {
   public:
    Held(Held&& other) noexcept
        : turn_(std::exchange(other.turn_, nullptr)), has_waited_(other.has_waited_) {}
    Held& operator=(Held&&) = delete;
    ~Held() {
      if (turn_ != nullptr) turn_->give_back();
    }
    /// Whether it was somebody else's when it was asked for.
    [[nodiscard]] bool has_waited() const noexcept { return has_waited_; }

   private:
    friend class Turn;
    Held(Turn& turn, bool has_waited) noexcept : turn_(&turn), has_waited_(has_waited) {}

    Turn* turn_;
    bool has_waited_;
  };

  /// Who asks first has it first. Errors: timed_out, cancelled; the turn is somebody else's then.
  [[nodiscard]] Result<Held> take(const Call& call) {
    std::unique_lock lock(mutex_);
    if (free_ > 0) {
      --free_;
      return Held(*this, false);
    }
    Waiter waiter;
    waiters_.push_back(&waiter);
    waiter.wait(lock, call);
    if (waiter.has_turn) return Held(*this, true);
    std::erase(waiters_, &waiter);
    if (call.stop.stop_requested()) return Error(Errc::cancelled, "cancelled");
    return Error(Errc::timed_out, "deadline passed");
  }

 private:
  struct Waiter {
    Condition called;
    bool has_turn = false;

    void wait(std::unique_lock<std::mutex>& lock, const Call& call) {
      const auto is_called = [this] { return has_turn; };
      if (const auto left = call.deadline.left())
        called.wait_until(lock, call.stop, Deadline::Clock::now() + *left, is_called);
      else
        called.wait(lock, call.stop, is_called);
    }
  };

  // WHY under the lock: whoever is called may go, and his condition with him, once it is free.
  void give_back() {
    const std::scoped_lock lock(mutex_);
    if (waiters_.empty()) {
      ++free_;
      return;
    }
    waiters_.front()->has_turn = true;
    waiters_.front()->called.notify_one();
    waiters_.pop_front();
  }

  std::mutex mutex_;
  std::deque<Waiter*> waiters_;
  unsigned free_;  // 0 while anybody waits
};

}  // namespace lazaret
