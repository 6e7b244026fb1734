#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "base/wire.hpp"
#include "engine/failure.hpp"
#include "engine/http.hpp"
#include "engine/json_lines.hpp"

namespace {

using namespace lazaret;

// Gives the input in pieces whose sizes the input chooses too.
class InputWire final : public Wire {
 public:
  InputWire(Bytes input, std::size_t piece) : input_(input), piece_(piece) {}
  Result<std::size_t> read(std::span<std::byte> into, const Call&) override {
    const std::size_t count = std::min({input_.size(), into.size(), piece_});
    std::copy_n(input_.begin(), count, into.begin());
    input_ = input_.subspan(count);
    return count;
  }
  Status write(Bytes, const Call&) override { return {}; }
  Status close_write() override { return {}; }

 private:
  Bytes input_;
  std::size_t piece_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Bytes input = std::as_bytes(std::span(data, size));
  const std::size_t piece = std::to_integer<std::size_t>(input[0]) % 64 + 1;
  engine::Exchange exchange(std::make_unique<InputWire>(input.subspan(1), piece));
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
  const engine::BodySink sink = [&](Bytes bytes) -> Status {
    text += text_of(bytes);
    if (reading) reading = lines.feed(bytes).ok();
    return {};
  };
  (void)exchange.body(sink, Call{}).ok();
  (void)lines.finish().ok();
  (void)engine::failure_of({*head, text}, engine::Subject::image);
  return 0;
}
