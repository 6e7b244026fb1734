#pragma once

#include <deque>
#include <mutex>
#include <utility>

#include "base/call.hpp"
#include "base/condition.hpp"

namespace lazaret {

/// A lock for those who have a Call: one at a time, and nobody waits longer than he may.
class Turn {
 public:
  /// Ends the turn when it goes.
  class Held {
   public:
    explicit Held(Turn& turn) noexcept : turn_(&turn) {}
    Held(Held&& other) noexcept : turn_(std::exchange(other.turn_, nullptr)) {}
    Held& operator=(Held&&) = delete;
    ~Held() {
      if (turn_ != nullptr) turn_->give_back();
    }

   private:
    Turn* turn_;
  };

  /// Who asks first has it first. Errors: timed_out, cancelled; the turn is somebody else's then.
  [[nodiscard]] Result<Held> take(const Call& call) {
    std::unique_lock lock(mutex_);
    if (!std::exchange(taken_, true)) return Held(*this);
    Waiter waiter;
    waiters_.push_back(&waiter);
    waiter.wait(lock, call);
    if (waiter.has_turn) return Held(*this);
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
    taken_ = !waiters_.empty();
    if (!taken_) return;
    waiters_.front()->has_turn = true;
    waiters_.front()->called.notify_one();
    waiters_.pop_front();
  }

  std::mutex mutex_;
  std::deque<Waiter*> waiters_;
  bool taken_ = false;
};

}  // namespace lazaret
