#include "api/rest/workers.hpp"

#include <system_error>
#include <utility>

namespace lazaret::rest {

Workers::~Workers() {
  const std::scoped_lock lock(mutex_);
  over_ = true;
  line_.clear();
  changed_.notify_all();
}

bool Workers::is_full() {
  if (under_way_ < most_ + waiting_) return false;
  under_way_ -= std::erase_if(line_, Task::is_given_up);
  return under_way_ == most_ + waiting_;
}

bool Workers::submit(Task task) {
  const std::scoped_lock lock(mutex_);
  if (over_ || is_full()) return false;
  const bool somebody_is_free = line_.size() < idle_;
  const bool has_thread = somebody_is_free || threads_.size() == most_ || begin_thread();
  // Where there is no line, what is taken is for a thread of its own.
  if (!has_thread && (threads_.empty() || waiting_ == 0)) return false;
  ++under_way_;
  line_.push_back(std::move(task));
  changed_.notify_one();
  return true;
}

// Under the lock. False where the system has no more: those that there are see to everything.
bool Workers::begin_thread() try {
  threads_.emplace_back([this] { work(); });
  return true;
} catch (const std::system_error&) {
  return false;
}

void Workers::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    changed_.wait(lock, [this] { return over_ || !line_.empty(); });
    --idle_;
    if (over_) return;
    std::function<void()> task = std::move(line_.front().work);
    line_.pop_front();
    lock.unlock();
    std::exchange(task, nullptr)();
    lock.lock();
    --under_way_;
  }
}

}  // namespace lazaret::rest
