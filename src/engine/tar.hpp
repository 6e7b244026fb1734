#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/tar.hpp"
#include "lazaret/result.hpp"

namespace lazaret::engine {

struct TarEntry {
  std::string path;           ///< relative, with '/', without ".."
  std::uint32_t mode = 0644;  ///< permission bits only: no setuid, setgid or sticky bit
  std::string content = {};
  TarKind kind = TarKind::file;
};

/// An archive in memory: owner 0:0, time 0, so that equal entries give equal bytes. Errors: those
/// of tar_head().
[[nodiscard]] Result<std::string> write_tar(const std::vector<TarEntry>& entries);

}  // namespace lazaret::engine
