#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "engine/attach.hpp"
#include "fuzz/input_wire.hpp"

using namespace lazaret;
using fuzz::InputWire;

// Whatever comes, the stream gives no more than was put in, and keeps its bound on stderr.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const Bytes input = std::as_bytes(std::span(data, size)).subspan(2);
  const std::size_t early = std::min<std::size_t>(input.size(), data[0] & 0x3f);
  const auto framing = data[0] & 0x80 ? engine::Framing::raw : engine::Framing::multiplexed;
  http::Exchange::Stream stream{
      std::make_unique<InputWire>(input.subspan(early), data[1] % 64 + 1UL),
      {input.begin(), input.begin() + static_cast<std::ptrdiff_t>(early)}};
  engine::AttachStream attached(std::move(stream), framing);
  std::array<std::byte, 37> room{};
  std::size_t total = 0;
  for (;;) {
    const auto count = attached.read(room, Call{});
    if (!count.ok() || *count == 0) break;
    total += *count;
  }
  const engine::SideOutput side = attached.standard_error();
  if (total + side.total_bytes > input.size()) std::abort();
  if (side.text.size() > engine::kSideOutputBytes) std::abort();
  return 0;
}
