#include "backend/linux/seats.hpp"

#include <sched.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "backend/linux/plan.hpp"

namespace lazaret::backend::native {

Seats::Seat& Seats::Seat::operator=(Seat&& other) noexcept {
  if (this == &other) return *this;
  leave();
  boxes_ = std::move(other.boxes_);
  turn_ = other.turn_;
  return *this;
}

void Seats::Seat::leave() noexcept {
  if (!boxes_ || ::getpid() != boxes_->owner) return;
  const std::scoped_lock lock(boxes_->mutex);
  --boxes_->on[turn_];
}

Seats::Seats(const Processors& available) : numbers_(numbers_of(available)) {
  boxes_->on.resize(std::max<std::size_t>(numbers_.size(), 1));
}

Seats::Seat Seats::take() {
  const std::size_t first = own();
  const std::scoped_lock lock(boxes_->mutex);
  auto& on = boxes_->on;
  std::size_t best = first;
  for (std::size_t step = 1; step < on.size(); ++step) {
    const std::size_t next = (first + step) % on.size();
    if (on[next] < on[best]) best = next;
  }
  ++on[best];
  return {boxes_, best};
}

std::size_t Seats::taken() const {
  const std::scoped_lock lock(boxes_->mutex);
  return std::accumulate(boxes_->on.begin(), boxes_->on.end(), std::size_t{0});
}

std::size_t Seats::own() const {
  const auto number = static_cast<std::size_t>(std::max(0, ::sched_getcpu()));
  const auto found = std::ranges::find(numbers_, number);
  return found == numbers_.end() ? 0
                                 : static_cast<std::size_t>(std::distance(numbers_.begin(), found));
}

}  // namespace lazaret::backend::native
