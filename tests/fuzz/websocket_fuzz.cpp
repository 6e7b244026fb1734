#include <cstdint>
#include <cstdlib>
#include <memory>

#include "fuzz/input_wire.hpp"
#include "http/websocket.hpp"

using namespace lazaret;

// What a server may send on a WebSocket; the first byte chooses in which pieces it comes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMost = 4096;
  if (size == 0) return 0;
  const Bytes input = std::as_bytes(std::span(data, size));
  const std::size_t piece = std::to_integer<std::size_t>(input[0]) % 64 + 1;
  http::WebSocket socket({std::make_unique<fuzz::InputWire>(input.subspan(1), piece), {}}, kMost);
  for (;;) {
    const auto message = socket.receive(Call{});
    if (!message.ok() || !*message) return 0;
    if ((*message)->payload.size() > kMost) std::abort();
  }
}
