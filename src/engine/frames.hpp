#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.hpp"
#include "lazaret/result.hpp"

namespace lazaret::engine {

/// The first byte of an attach header (Engine API, ContainerAttach).
enum class FrameStream : std::uint8_t {
  standard_input = 0,
  standard_output = 1,
  standard_error = 2,
  system_error = 3,
};

struct FramePiece {
  FrameStream stream;
  Bytes bytes;  ///< part of the input that was given; never empty
};

/// Takes the engine's multiplexed stream apart, whatever the sizes of the pieces it comes in. Holds
/// eight bytes and a counter: the length of a frame is never allocated (P-31). After an error it
/// stays failed.
class FrameDemuxer {
 public:
  /// The next piece of payload, cut off the front of `input`; nothing when more input is needed.
  /// Errors: protocol for an unknown stream or padding that is not zero.
  [[nodiscard]] Result<std::optional<FramePiece>> next(Bytes& input);
  /// Whether the stream may end here.
  [[nodiscard]] bool between_frames() const noexcept { return filled_ == 0 && left_ == 0; }

 private:
  [[nodiscard]] Status read_header(Bytes& input);

  std::array<std::byte, 8> header_{};
  std::size_t filled_ = 0;
  std::uint32_t left_ = 0;
  FrameStream stream_ = FrameStream::standard_input;
  bool failed_ = false;
};

}  // namespace lazaret::engine
