#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "lazaret/result.hpp"
#include "runner/byte_queue.hpp"

/// The runner's wire format; docs/runner-protocol.md is its specification.
namespace lazaret::runner {

inline constexpr std::uint16_t kProtocolVersion = 9;
inline constexpr std::size_t kHeaderBytes = 8;
inline constexpr std::size_t kStreamBytes = 64UL << 10;   ///< most payload of a stream frame
inline constexpr std::size_t kReportBytes = 128UL << 10;  ///< most payload of a report
inline constexpr std::size_t kJobBytes = 4UL << 20;       ///< most payload of a job
inline constexpr std::size_t kEntryBytes = 16UL << 10;    ///< most payload that names files
inline constexpr std::size_t kContextBytes = 64;          ///< most of a context's name
inline constexpr std::uint32_t kStdinWindow = 64U << 10;  ///< unacknowledged stdin bytes

enum class FrameType : std::uint8_t {
  // host to runner
  job = 0x01,
  stdin_data = 0x02,
  stdin_end = 0x03,
  signal = 0x04,
  compile = 0x05,
  prepare = 0x06,
  put = 0x07,
  put_data = 0x08,
  put_end = 0x09,
  get = 0x0A,
  change = 0x0B,
  end_context = 0x0C,
  resize = 0x0D,
  watch = 0x0E,
  // runner to host
  hello = 0x81,
  report = 0x82,
  started = 0x83,
  stdout_data = 0x84,
  stderr_data = 0x85,
  value_data = 0x86,
  stdin_credit = 0x87,
  exited = 0x88,
  failed = 0x89,
  prepared = 0x8A,
  placed = 0x8B,
  entry = 0x8C,
  entry_data = 0x8D,
  got = 0x8E,
  event = 0x8F,
};

enum class Direction { to_runner, to_host };

struct Frame {
  FrameType type;
  Bytes payload;  ///< valid until the reader is filled again
};

/// Header for a payload of `size` bytes, which must be within the type's cap.
[[nodiscard]] std::array<std::byte, kHeaderBytes> frame_header(FrameType type, std::size_t size);
/// The most payload a frame of this type may carry.
[[nodiscard]] std::size_t payload_cap(FrameType type) noexcept;
/// Header and payload in one buffer.
[[nodiscard]] std::vector<std::byte> encode_frame(FrameType type, Bytes payload);

/// Cuts a hostile byte stream into frames. Memory is bounded by the largest frame of the direction;
/// an unknown type, a wrong direction, a length above the type's cap or a reserved bit is an error
/// (Errc::protocol), after which the reader stays failed.
class FrameReader {
 public:
  explicit FrameReader(Direction direction) : direction_(direction) {}

  /// Where the next bytes go; never empty.
  [[nodiscard]] std::span<std::byte> space();
  /// Says how many bytes were put at the front of space().
  void commit(std::size_t count) noexcept;
  /// Whether nothing is left of what came.
  [[nodiscard]] bool is_empty() const noexcept { return queue_.empty(); }
  /// Whether what is left may be the beginning of one of this type.
  [[nodiscard]] bool may_begin(FrameType type) const noexcept;
  /// The next whole frame, or nothing when more bytes are needed.
  [[nodiscard]] Result<std::optional<Frame>> next();

 private:
  [[nodiscard]] Result<std::size_t> payload_size(std::span<const std::byte> header) const;

  Direction direction_;
  ByteQueue queue_;
  std::size_t read_bytes_ = 16UL << 10;  // at once; more where more comes
  bool failed_ = false;
};

}  // namespace lazaret::runner
