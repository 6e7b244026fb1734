#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "lazaret/limits.hpp"

/// The writable directories of a box: a tmpfs each, bounded in bytes and inodes.
namespace lazaret::backend::docker {

struct Scratch {
  const char* suffix;  ///< of the volume's name, where it is one
  const char* target;
  const char* owner;  ///< options that say whose it is
  const char* execute;
};
// WHY the owner is always named: Podman gives a volume without one the owner and mode that the
// image has at that path.
inline constexpr std::array kScratch = {
    Scratch{"-work", "/work", "mode=0700,uid=65534,gid=65534", "exec"},
    Scratch{"-tmp", "/tmp", "mode=1777,uid=0,gid=0", "exec"},
    Scratch{"-shm", "/dev/shm", "mode=1777,uid=0,gid=0", "noexec"},
};

/// Options of Docker's HostConfig.Tmpfs.
[[nodiscard]] std::string tmpfs_options(const Scratch& scratch, const Limits& limits);

/// A scratch directory that is made as a volume beforehand, where the engine needs that.
struct ScratchVolume {
  std::string name;
  std::string target;
  std::string execute;                         ///< "exec", "noexec": an option of its mount
  std::map<std::string, std::string> options;  ///< DriverOpts
};
/// Those of the box with this name.
[[nodiscard]] std::vector<ScratchVolume> scratch_volumes(const std::string& box,
                                                         const Limits& limits);

}  // namespace lazaret::backend::docker
