#include <cstdint>
#include <cstdlib>

#include "egress/client_hello.hpp"
#include "egress/plain_request.hpp"
#include "fuzz/input_wire.hpp"
#include "http/request_head.hpp"

using namespace lazaret;

// What a program may say to its way out: a head and what follows it, in pieces that the first byte
// chooses, or the beginning of TLS.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Bytes input = std::as_bytes(std::span(data, size));
  const std::size_t piece = std::to_integer<std::size_t>(input[0]) + 1;
  const auto name = egress::server_name_in(text_of(input.subspan(1)));
  const bool is_named = name.kind == egress::ServerName::Kind::named;
  if (is_named == name.name.empty()) std::abort();
  if (name.missing == 0) std::abort();
  fuzz::InputWire wire(input.subspan(1), piece);
  const auto head = http::read_request_head(wire, Call{});
  if (!head.ok()) return 0;
  for (const auto& read : {egress::tunnel_of(*head), egress::plain_request_of(*head)}) {
    if (read.ok() && (read->to.host.empty() || read->to.port == 0)) std::abort();
  }
  return 0;
}
