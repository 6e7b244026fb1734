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
bool Workers::begin_thread() {
  gone_.clear();
  threads_.emplace_front();
  try {
    threads_.front() = std::jthread([this, self = threads_.begin()] { work(self); });
    return true;
  } catch (const std::system_error&) {
    threads_.pop_front();
    return false;
  }
}

// False after a while in which there was nothing to do. The only one that waits is woken by work.
bool Workers::wait(std::unique_lock<std::mutex>& lock) {
  const auto is_called = [this] { return over_ || !line_.empty(); };
  bool called = true;
  if (++idle_ > 1)
    called = changed_.wait_for(lock, longest_, is_called);
  else
    changed_.wait(lock, is_called);
  --idle_;
  return called;
}

void Workers::work(Thread self) {
  std::unique_lock lock(mutex_);
  for (;;) {
    const bool called = wait(lock);
    if (over_) return;
    if (!called && idle_ > 0) return gone_.splice(gone_.end(), threads_, self);
    if (!called) continue;
    std::function<void()> task = std::move(line_.front().work);
    line_.pop_front();
    lock.unlock();
    std::exchange(task, nullptr)();
    lock.lock();
    --under_way_;
  }
}

}  // namespace lazaret::rest
