#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace lazaret::core {

/// Keeps the head and the tail of a stream within a cap and counts all of it (P-22 to P-24). Memory
/// never exceeds the cap; a stream that fits is kept whole.
class Collector {
 public:
  explicit Collector(std::uint64_t cap_bytes);

  /// Takes the next bytes and returns how many of them, from the front, went into the head.
  std::size_t take(Bytes bytes);

  [[nodiscard]] std::uint64_t total_bytes() const noexcept { return total_; }
  [[nodiscard]] bool truncated() const noexcept { return total_ > head_cap_ + tail_cap_; }
  [[nodiscard]] std::size_t head_bytes() const noexcept { return head_.size(); }
  /// What was kept, byte for byte; with a gap where the stream was cut.
  [[nodiscard]] std::string head() const { return head_; }
  [[nodiscard]] std::string tail() const;
  /// Valid UTF-8: the head, a line that says how much is missing, and the tail, cut between
  /// characters; ill-formed bytes become U+FFFD.
  [[nodiscard]] std::string text() const&;
  /// The same, and what was kept is given up: a stream that fits is not copied.
  [[nodiscard]] std::string text() &&;

 private:
  void take_tail(Bytes bytes);

  std::size_t head_cap_;
  std::size_t tail_cap_;
  std::string head_;
  std::vector<std::byte> tail_;  // a ring once it is full
  std::size_t tail_at_ = 0;      // where the next byte goes
  std::uint64_t total_ = 0;
};

}  // namespace lazaret::core
