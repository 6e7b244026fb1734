#include "api/rest/workers.hpp"

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
  ++under_way_;
  const bool somebody_is_free = line_.size() < idle_;
  line_.push_back(std::move(task));
  if (somebody_is_free || threads_.size() == most_)
    changed_.notify_one();
  else
    threads_.emplace_back([this] { work(); });
  return true;
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
