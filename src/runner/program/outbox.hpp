#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

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

  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] bool has_room() const noexcept { return aside_ == 0 && size() < kHighWater; }
  /// So little that it may wait for more.
  [[nodiscard]] bool has_little() const noexcept { return size() < kLowWater; }
  /// Memory in use, sent and unsent.
  [[nodiscard]] std::size_t held_bytes() const noexcept { return queue_.held_bytes(); }
  void put(FrameType type, Bytes payload);
  /// Room for a stream frame's payload, to be read into directly.
  [[nodiscard]] std::span<std::byte> reserve();
  /// Makes the first `size` bytes of the reserved room a frame; zero takes the room back.
  void commit(FrameType type, std::size_t size);
  /// Makes what is in a pipe a frame, without copying it, as far as one goes: its size, zero at the
  /// end of the stream, nothing where nothing is there. Only a wire that is a socket takes it.
  /// Errors: those of os::make_pipe and os::move_now; the outbox is as it was.
  [[nodiscard]] Result<std::optional<std::size_t>> move(FrameType type, os::RawHandle pipe);
  /// Writes what fits now. Errors: those of os::write_now and os::move_now.
  [[nodiscard]] Status flush(os::RawHandle wire);

 private:
  [[nodiscard]] std::size_t size() const noexcept { return queue_.size() + aside_; }
  [[nodiscard]] std::span<std::byte> frame_room();
  void take_from_aside();

  static constexpr std::size_t kHighWater = 256UL << 10, kLowWater = 4UL << 10;

  ByteQueue queue_;
  // The last frame's payload, as far as it is not in the queue. WHY not left where it was: the
  // program can take out of its own pipes what has been announced already.
  std::pair<os::Handle, os::Handle> pipe_;
  std::size_t aside_ = 0;
};

}  // namespace lazaret::runner
