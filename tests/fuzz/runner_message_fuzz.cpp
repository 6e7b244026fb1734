#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "runner/message.hpp"

namespace {

using namespace lazaret;

// What was taken is exactly what its encoder makes: there is one spelling of every message.
template <typename Decode>
void expect_one_spelling(Bytes input, Decode decode) {
  const auto message = decode(input);
  if (!message.ok()) return;
  const auto again = runner::encode(*message);
  if (!std::equal(again.begin(), again.end(), input.begin(), input.end())) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes input = std::as_bytes(std::span(data, size));
  expect_one_spelling(input, runner::decode_hello);
  expect_one_spelling(input, runner::decode_job);
  expect_one_spelling(input, runner::decode_exited);
  expect_one_spelling(input, runner::decode_failed);
  expect_one_spelling(input, runner::decode_entry);
  expect_one_spelling(input, runner::decode_placed);
  expect_one_spelling(input, runner::decode_change);
  expect_one_spelling(input, runner::decode_event);
  expect_one_spelling(input, runner::decode_get);
  expect_one_spelling(input, runner::decode_got);
  expect_one_spelling(input, runner::decode_number);
  return 0;
}
