#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "lazaret/result.hpp"
#include "os/handle.hpp"
#include "runner/frame.hpp"

namespace lazaret::runner {

/// Frames on their way to the host. Bounded: while `has_room()` is false, nobody reads from the
/// program, so a slow host slows the program down instead of filling memory.
class Outbox {
 public:
  [[nodiscard]] bool empty() const noexcept { return begin_ == bytes_.size(); }
  [[nodiscard]] bool has_room() const noexcept { return bytes_.size() - begin_ < kHighWater; }
  /// Memory in use, sent and unsent.
  [[nodiscard]] std::size_t held_bytes() const noexcept { return bytes_.capacity(); }
  void put(FrameType type, Bytes payload);
  /// Room for a stream frame's payload, to be read into directly.
  [[nodiscard]] std::span<std::byte> reserve();
  /// Makes the first `size` bytes of the reserved room a frame; zero takes the room back.
  void commit(FrameType type, std::size_t size);
  /// Writes what fits now. Errors: those of os::write_now.
  [[nodiscard]] Status flush(os::RawHandle wire);

 private:
  void drop_sent();

  static constexpr std::size_t kHighWater = 256UL << 10;

  std::vector<std::byte> bytes_;
  std::size_t begin_ = 0;
  std::size_t reserved_at_ = 0;
};

}  // namespace lazaret::runner
