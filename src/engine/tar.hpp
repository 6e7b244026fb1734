#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lazaret/result.hpp"

namespace lazaret::engine {

enum class TarKind { file, directory };

struct TarEntry {
  std::string path;  ///< relative, with '/', without "..", at most 100 bytes
  std::uint32_t mode = 0644;  ///< permission bits only: no setuid, setgid or sticky bit
  std::string content = {};
  TarKind kind = TarKind::file;
};

/// An archive in memory, in the ustar format of POSIX.1-1988: owner 0:0, time 0, so that equal
/// entries give equal bytes. Errors: invalid_argument for a path that is absolute, empty, too long
/// or climbs out; too_large for a content of 8 GiB and more.
[[nodiscard]] Result<std::string> write_tar(const std::vector<TarEntry>& entries);

}  // namespace lazaret::engine
