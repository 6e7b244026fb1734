#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "backend/linux/order.hpp"
#include "backend/linux/spawner.hpp"
#include "base/call.hpp"
#include "base/turn.hpp"
#include "lazaret/result.hpp"

namespace lazaret::backend::native {

/// A backend's spawners, begun as boxes need them and replaced when they are gone. Each keeps to a
/// share of the processors and has its boxes there, so that what a box's processes say to each
/// other wakes no other processor, and as many boxes are made at once. Thread-safe.
class Spawners {
 public:
  /// Shared by the backend and the boxes that are alive: a spawner's end would be theirs.
  using Shared = std::shared_ptr<Spawner>;
  /// Begins one that keeps to `home`, where that is not empty. Must be thread-safe.
  using Begin = std::function<Result<Shared>(const Processors& home, const Call& call)>;

  /// At most `most` of them, 1 and up, and no more than there are processors.
  Spawners(const Processors& available, std::size_t most, Begin begin);

  struct Choice {
    Shared spawner;
    std::size_t turn;  ///< for share_of(), of the same processors
  };
  /// The one with the fewest boxes, that of the caller's own processor among equals; one more is
  /// begun when all have several. Errors: those of `begin`, where there is no other.
  [[nodiscard]] Result<Choice> choose(const Call& call);
  /// One that was begun, or nothing before the first.
  [[nodiscard]] Shared any() const { return in(0); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Lane {
    Turn beginning;
    Shared spawner;
    long asked = 0;                // by who has picked it, and has no answer yet
    Clock::time_point not_before;  // after a failure

    [[nodiscard]] bool is_begun() const { return spawner || asked > 0; }
    [[nodiscard]] long boxes() const { return asked + std::max(spawner.use_count() - 1, 0L); }
  };

  [[nodiscard]] std::size_t pick() const;  // under the lock
  [[nodiscard]] std::size_t own_lane() const;
  [[nodiscard]] Shared in(std::size_t lane) const;
  [[nodiscard]] std::pair<std::size_t, Result<Shared>> ask(const Call& call);
  [[nodiscard]] Result<Shared> usable(std::size_t lane, const Call& call);
  [[nodiscard]] Choice with_turn(std::size_t lane, Shared spawner);
  void let_rest(std::size_t lane);

  const std::vector<std::size_t> numbers_;  // of the processors
  const Begin begin_;
  mutable std::mutex mutex_;  // of what the lanes have
  std::vector<Lane> lanes_;
  std::atomic<std::size_t> turns_ = 0;
};

}  // namespace lazaret::backend::native
