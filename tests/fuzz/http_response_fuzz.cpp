#include <cstdint>
#include <memory>

#include "engine/failure.hpp"
#include "engine/json_lines.hpp"
#include "fuzz/input_wire.hpp"
#include "http/exchange.hpp"

using namespace lazaret;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Bytes input = std::as_bytes(std::span(data, size));
  const std::size_t piece = std::to_integer<std::size_t>(input[0]) % 64 + 1;
  http::Exchange exchange(std::make_unique<fuzz::InputWire>(input.subspan(1), piece));
  const char* const method = data[0] & 0x80 ? "HEAD" : "GET";
  if (!exchange.send({method, "/x", {}, ""}, Call{}).ok()) return 0;
  const auto head = exchange.head(Call{});
  if (!head.ok()) return 0;
  if (data[0] & 0x40) {
    (void)std::move(exchange).hijack();
    return 0;
  }
  engine::JsonLines lines([](const auto&) -> Status { return {}; });
  bool reading = true;
  std::string text;
  const http::BodySink sink = [&](Bytes bytes) -> Status {
    text += text_of(bytes);
    if (reading) reading = lines.feed(bytes).ok();
    return {};
  };
  (void)exchange.body(sink, Call{}).ok();
  (void)lines.finish().ok();
  (void)engine::failure_of({*head, text}, engine::Subject::image);
  return 0;
}
