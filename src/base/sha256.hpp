#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/bytes.hpp"

namespace lazaret {

/// FIPS 180-4, piece by piece.
class Sha256 {
 public:
  using Digest = std::array<std::byte, 32>;

  void update(Bytes bytes) noexcept;
  /// The digest of everything so far; the object must not be used afterwards.
  [[nodiscard]] Digest finish() noexcept;

 private:
  void compress(const std::byte* block) noexcept;

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> block_{};
  std::size_t filled_ = 0;
  std::uint64_t total_bytes_ = 0;
};

[[nodiscard]] Sha256::Digest sha256(Bytes bytes) noexcept;
/// Sixty-four lower-case hexadecimal digits.
[[nodiscard]] std::string to_hex(const Sha256::Digest& digest);

}  // namespace lazaret
