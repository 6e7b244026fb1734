#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/bytes.hpp"

namespace lazaret::runner {

/// Bytes that come in at the back and leave at the front. Its room is not zeroed first: memory that
/// nothing was written to costs nothing, and a page that is touched for the first time a lot.
class ByteQueue {
 public:
  [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }
  [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }
  /// What is in it, oldest first; valid until room() is asked for.
  [[nodiscard]] Bytes bytes() const noexcept { return {memory_.get() + begin_, size()}; }
  /// Memory in use; at most twice what was in it at once together with the room asked for.
  [[nodiscard]] std::size_t held_bytes() const noexcept { return capacity_; }

  /// At least that much to write to behind what is in it; it counts once committed.
  [[nodiscard]] std::span<std::byte> room(std::size_t least);
  /// Makes the first bytes of room() part of the queue; `count` is at most the room's size.
  void commit(std::size_t count) noexcept { end_ += count; }
  void append(Bytes bytes);
  /// Forgets the oldest bytes; `count` is at most size().
  void drop(std::size_t count) noexcept;

 private:
  void move_to(std::byte* memory) noexcept;

  std::unique_ptr<std::byte[]> memory_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace lazaret::runner
