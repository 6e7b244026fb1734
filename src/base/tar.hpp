#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lazaret/result.hpp"

namespace lazaret {

inline constexpr std::size_t kTarBlock = 512;
inline constexpr std::size_t kTarPathBytes = 4095;  ///< of a path, and of a link's target

enum class TarKind { file, directory, link };

/// What an archive says of one thing, before its content.
struct TarHead {
  std::string path;  ///< names with '/' between them, none of them empty, "." or ".."
  TarKind kind = TarKind::file;
  std::uint32_t mode = 0644;  ///< permission bits only: no setuid, setgid or sticky bit
  std::uint64_t size = 0;     ///< of a file's content
  std::string target = {};    ///< of a link
  std::uint64_t time = 0;     ///< of its last change, in seconds since 1970
};

/// The blocks before an entry's content, in the ustar format of POSIX.1-1988, with the extended
/// header of POSIX.1-2001 where that has no room: owner 0:0, names byte for byte. Errors:
/// invalid_argument for a path that is absolute, empty, longer than 4095 bytes or climbs out, and
/// for a link without a target.
[[nodiscard]] Result<std::string> tar_head(const TarHead& head);
/// What fills the last block of a content of this size.
[[nodiscard]] std::string_view tar_padding(std::uint64_t size) noexcept;
/// What an archive ends with.
[[nodiscard]] std::string_view tar_end() noexcept;

/// The names in a path, without those that are empty or "."; "." where nothing is left. Errors:
/// invalid_argument for one that is empty, absolute, longer than 4095 bytes, climbs by "..", or
/// holds a NUL.
[[nodiscard]] Result<std::string> clean_tar_path(std::string_view path);

}  // namespace lazaret
