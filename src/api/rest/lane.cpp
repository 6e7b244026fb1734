#include "api/rest/lane.hpp"

#include <algorithm>
#include <utility>

namespace lazaret::rest {

bool Lane::is_full() {
  if (line_.size() <= waiting_) return false;
  const auto waiting = std::remove_if(line_.begin() + 1, line_.end(), Task::is_given_up);
  line_.erase(waiting, line_.end());
  return line_.size() > waiting_;
}

bool Lane::submit(Task task) {
  const std::scoped_lock lock(mutex_);
  if (is_full()) return false;
  if (!busy_ && !workers_.submit([self = shared_from_this()] { self->work(); })) return false;
  busy_ = true;
  line_.push_back(std::move(task));
  return true;
}

bool Lane::busy() const {
  const std::scoped_lock lock(mutex_);
  return busy_;
}

// On a worker, which goes on with the next one only where no other can: so others have their turn.
void Lane::work() {
  do {
    std::function<void()> task;
    {
      const std::scoped_lock lock(mutex_);
      task = std::move(line_.front().work);
    }
    std::exchange(task, nullptr)();
  } while (go_on());
}

bool Lane::go_on() {
  const std::scoped_lock lock(mutex_);
  line_.pop_front();
  busy_ = !line_.empty();
  return busy_ && !workers_.submit([self = shared_from_this()] { self->work(); });
}

}  // namespace lazaret::rest
