#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "runner/frame.hpp"

namespace {

using namespace lazaret;
using runner::Direction;

constexpr std::size_t kBound = 8UL << 20;

// Frames never hold more than came in, keep to their caps, and a failed reader stays failed.
void read_frames(Direction direction, Bytes input, std::size_t piece) {
  runner::FrameReader reader(direction);
  std::size_t came = 0, seen = 0;
  while (!input.empty()) {
    const auto space = reader.space();
    if (space.empty() || space.size() > kBound) std::abort();
    const std::size_t count = std::min({piece, space.size(), input.size()});
    std::copy_n(input.begin(), count, space.begin());
    reader.commit(count);
    input = input.subspan(count);
    came += count;
    for (;;) {
      const auto frame = reader.next();
      if (!frame.ok()) {
        if (reader.next().ok()) std::abort();
        return;
      }
      if (!*frame) break;
      if ((*frame)->payload.size() > runner::payload_cap((*frame)->type)) std::abort();
      const bool to_host = (static_cast<unsigned>((*frame)->type) & 0x80U) != 0;
      if (to_host != (direction == Direction::to_host)) std::abort();
      seen += runner::kHeaderBytes + (*frame)->payload.size();
      if (seen > came) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const Bytes input = std::as_bytes(std::span(data, size)).subspan(1);
  const std::size_t piece = data[0] == 0xFF ? 1UL << 16 : data[0] + 1UL;
  read_frames(Direction::to_host, input, piece);
  read_frames(Direction::to_runner, input, piece);
  return 0;
}
