#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "backend/linux/order.hpp"

namespace lazaret::backend::native {

/// How many boxes of a backend each processor has. Thread-safe.
class Seats {
 public:
  explicit Seats(const Processors& available);

  /// A box's, which counts there as long as it is held.
  class Seat {
   public:
    Seat() = default;
    Seat(Seat&& other) noexcept = default;
    Seat& operator=(Seat&& other) noexcept;
    ~Seat() { leave(); }
    /// Which of the processors; as share_of() takes it.
    [[nodiscard]] std::size_t turn() const noexcept { return turn_; }

   private:
    friend class Seats;
    struct Boxes {
      const pid_t owner = ::getpid();  // a fork of it takes no seats and leaves none
      std::mutex mutex;
      std::vector<std::size_t> on;  // each processor
    };
    Seat(std::shared_ptr<Boxes> boxes, std::size_t turn)
        : boxes_(std::move(boxes)), turn_(turn) {}
    void leave() noexcept;

    std::shared_ptr<Boxes> boxes_;
    std::size_t turn_ = 0;
  };

  /// On the processor with the fewest; on the caller's own among equals.
  [[nodiscard]] Seat take();
  /// All that are taken.
  [[nodiscard]] std::size_t taken() const;
  /// Of the processors, in their order.
  [[nodiscard]] const std::vector<std::size_t>& numbers() const noexcept { return numbers_; }

 private:
  [[nodiscard]] std::size_t own() const;

  const std::vector<std::size_t> numbers_;
  const std::shared_ptr<Seat::Boxes> boxes_ = std::make_shared<Seat::Boxes>();
};

}  // namespace lazaret::backend::native
