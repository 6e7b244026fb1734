#include "engine/frames.hpp"

#include <algorithm>

#include "base/try.hpp"

namespace lazaret::engine {
namespace {

constexpr auto kLastStream = static_cast<unsigned>(FrameStream::system_error);

std::uint32_t length_of(const std::array<std::byte, 8>& header) noexcept {
  std::uint32_t length = 0;
  for (std::size_t at = 4; at < 8; ++at) {
    length = length << 8 | std::to_integer<std::uint32_t>(header[at]);
  }
  return length;
}

bool valid(const std::array<std::byte, 8>& header) noexcept {
  constexpr std::byte kZero{0};
  return std::to_integer<unsigned>(header[0]) <= kLastStream && header[1] == kZero &&
         header[2] == kZero && header[3] == kZero;
}

}  // namespace

Status FrameDemuxer::read_header(Bytes& input) {
  const std::size_t count = std::min(header_.size() - filled_, input.size());
  std::copy_n(input.begin(), count, header_.begin() + static_cast<std::ptrdiff_t>(filled_));
  input = input.subspan(count);
  filled_ += count;
  if (filled_ < header_.size()) return {};
  if (!valid(header_)) {
    failed_ = true;
    return Error(Errc::protocol, "the engine's stream is not multiplexed as it should be");
  }
  filled_ = 0;
  stream_ = static_cast<FrameStream>(header_[0]);
  left_ = length_of(header_);
  return {};
}

Result<std::optional<FramePiece>> FrameDemuxer::next(Bytes& input) {
  if (failed_) return Error(Errc::protocol, "the engine's stream has failed before");
  while (left_ == 0) {
    if (input.empty()) return std::optional<FramePiece>{};
    LAZARET_CHECK(read_header(input));
  }
  if (input.empty()) return std::optional<FramePiece>{};
  const std::size_t count = std::min<std::size_t>(left_, input.size());
  const Bytes piece = input.first(count);
  input = input.subspan(count);
  left_ -= static_cast<std::uint32_t>(count);
  return std::optional(FramePiece{stream_, piece});
}

}  // namespace lazaret::engine
