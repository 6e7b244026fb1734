#include "runner/image.hpp"

namespace lazaret::runner {

// Boxes with Linux inside need a runner for Linux, which a Windows build does not carry.
Bytes runner_image() noexcept { return {}; }

const std::string& runner_digest() {
  static const std::string digest;
  return digest;
}

}  // namespace lazaret::runner
