#include "runner/image.hpp"

#include "base/sha256.hpp"

extern "C" {
extern const std::byte lazaret_runner_begin[];
extern const std::byte lazaret_runner_end[];
}

namespace lazaret::runner {

Bytes runner_image() noexcept { return {lazaret_runner_begin, lazaret_runner_end}; }

const std::string& runner_digest() {
  static const std::string digest = to_hex(sha256(runner_image()));
  return digest;
}

}  // namespace lazaret::runner
