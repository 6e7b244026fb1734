#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

/// Where the fields of a header lie, as in tar(5), for those who write and read them.
namespace lazaret::tar {

struct Field {
  std::size_t at;
  std::size_t width;
};
inline constexpr Field kName{0, 100}, kMode{100, 8}, kOwner{108, 8}, kGroup{116, 8}, kSize{124, 12},
    kTime{136, 12}, kChecksum{148, 8}, kKind{156, 1}, kTarget{157, 100}, kMagic{257, 8},
    kPrefix{345, 155};
inline constexpr std::string_view kUstar{"ustar\00000", 8};

/// The sum of a header's bytes, those of its own field counted as blanks.
[[nodiscard]] inline std::uint64_t checksum_of(std::string_view header) noexcept {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < header.size(); ++at) {
    const bool is_own = at >= kChecksum.at && at < kChecksum.at + kChecksum.width;
    sum += is_own ? ' ' : static_cast<unsigned char>(header[at]);
  }
  return sum;
}

}  // namespace lazaret::tar
