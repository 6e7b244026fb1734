#pragma once

#include <cstddef>
#include <span>

#include "base/bytes.hpp"
#include "lazaret/result.hpp"
#include "os/handle.hpp"
#include "runner/byte_queue.hpp"
#include "runner/frame.hpp"

namespace lazaret::runner {

/// Frames on their way to the host. Bounded: while `has_room()` is false, nobody reads from the
/// program, so a slow host slows the program down instead of filling memory.
class Outbox {
 public:
  /// With the room that the first output would have it grow to, once there is a report in it.
  Outbox() { (void)frame_room(); }

  [[nodiscard]] bool empty() const noexcept { return queue_.empty(); }
  [[nodiscard]] bool has_room() const noexcept { return queue_.size() < kHighWater; }
  /// So little that it may wait for more.
  [[nodiscard]] bool has_little() const noexcept { return queue_.size() < kLowWater; }
  /// Memory in use, sent and unsent.
  [[nodiscard]] std::size_t held_bytes() const noexcept { return queue_.held_bytes(); }
  void put(FrameType type, Bytes payload);
  /// Room for a stream frame's payload, to be read into directly.
  [[nodiscard]] std::span<std::byte> reserve();
  /// Makes the first `size` bytes of the reserved room a frame; zero takes the room back.
  void commit(FrameType type, std::size_t size);
  /// Writes what fits now. Errors: those of os::write_now.
  [[nodiscard]] Status flush(os::RawHandle wire);

 private:
  [[nodiscard]] std::span<std::byte> frame_room();

  static constexpr std::size_t kHighWater = 256UL << 10, kLowWater = 4UL << 10;

  ByteQueue queue_;
};

}  // namespace lazaret::runner
