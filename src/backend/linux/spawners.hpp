#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/linux/order.hpp"
#include "backend/linux/seats.hpp"
#include "backend/linux/spawner.hpp"
#include "base/call.hpp"
#include "base/turn.hpp"
#include "lazaret/result.hpp"

namespace lazaret::backend::native {

/// A backend's spawners, begun as boxes need them and replaced when they are gone. Each keeps to a
/// share of the processors and makes the boxes there, so that what their processes say to each
/// other wakes no other processor, and several are made at once. Thread-safe.
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
    Seats::Seat seat;
  };
  /// A seat, and the spawner whose home it is; another one while there are no more than two boxes
  /// for each that was begun, or where it cannot be begun. Errors: those of `begin`, where there is
  /// none at all.
  [[nodiscard]] Result<Choice> choose(const Call& call);
  [[nodiscard]] Seats::Seat take_seat() { return seats_.take(); }
  /// Not to be chosen for a while where there is another: it has refused a box.
  void avoid(const Shared& spawner);
  /// One that was begun, or nothing before the first.
  [[nodiscard]] Shared any() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Lane {
    Turn beginning;
    Shared spawner;
    Clock::time_point not_before;  // after a failure

    [[nodiscard]] bool rests() const { return not_before > Clock::now(); }
  };
  enum class Resting { left_out, too };

  [[nodiscard]] Result<Shared> spawner_for(std::size_t lane, const Call& call);
  [[nodiscard]] bool is_to_serve(std::size_t lane) const;
  [[nodiscard]] Result<Shared> usable(std::size_t lane, const Call& call);
  [[nodiscard]] Result<Shared> renewed(std::size_t lane, const Call& call);
  [[nodiscard]] Result<Shared> begin(std::size_t lane, const Call& call);
  [[nodiscard]] Shared in(std::size_t lane) const;
  [[nodiscard]] Shared good(Resting resting);

  Seats seats_;
  const Begin begin_;
  mutable std::mutex mutex_;  // of what the lanes have
  std::vector<Lane> lanes_;
};

}  // namespace lazaret::backend::native
