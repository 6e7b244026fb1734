#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "lazaret/result.hpp"

namespace lazaret::engine {

enum class TarKind { file, directory };

struct TarEntry {
  std::string path;  ///< relative, with '/', without ".."
  std::uint32_t mode = 0644;  ///< permission bits only: no setuid, setgid or sticky bit
  std::string content = {};
  TarKind kind = TarKind::file;
};

struct TarCaps {
  std::size_t total_bytes = 64UL << 20;  ///< of all contents
  std::size_t entries = 10'000;
};

/// An archive in memory: owner 0:0, time 0, so that equal entries give equal bytes.
/// Errors: invalid_argument for a path that is absolute, empty or climbs out.
[[nodiscard]] Result<std::string> write_tar(const std::vector<TarEntry>& entries);

/// Files and directories of a foreign archive; links and devices are left out.
/// Slashes in front of a path are dropped. Errors: protocol (not a tar, a path that climbs out),
/// too_large.
[[nodiscard]] Result<std::vector<TarEntry>> read_tar(Bytes tar, const TarCaps& caps);

}  // namespace lazaret::engine
