#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/utf8.hpp"
#include "core/value.hpp"

// Whatever a program writes to its value channel: a value is JSON within its cap, an error is of a
// kind that programs may claim, and never are there both. What is shown is read as it was written.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lazaret;
  if (size < 2) return 0;
  const std::uint64_t cap = data[0] * 16UL;
  const std::size_t piece = data[1] + 1UL;
  core::ValueChannel channel(cap);
  for (Bytes left = std::as_bytes(std::span(data, size)).subspan(2); !left.empty();) {
    const std::size_t count = std::min(piece, left.size());
    channel.take(left.first(count));
    left = left.subspan(count);
  }
  const core::ValueMessage message = channel.message();
  if (message.value && message.error) std::abort();
  if (message.value) {
    if (message.value->size() > cap || !is_utf8(*message.value)) std::abort();
    if (!nlohmann::json::accept(*message.value)) std::abort();
  }
  if (message.error) {
    const ErrorType type = message.error->type;
    const bool may = type == ErrorType::SyntaxError || type == ErrorType::RuntimeError ||
                     type == ErrorType::MemoryError || type == ErrorType::SerializationError;
    if (!may || message.error->hint || !is_utf8(message.error->message)) std::abort();
  }
  for (const RichResult& rich : channel.rich().results) {
    const std::string text = core::json_of(rich);
    const auto again = core::rich_of(text);
    if (!is_utf8(text) || !nlohmann::json::accept(text)) std::abort();
    if (!again || again->source != rich.source || again->data != rich.data) std::abort();
  }
  return 0;
}
