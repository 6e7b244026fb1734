#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/linux/order.hpp"
#include "backend/verdict.hpp"

namespace lazaret::backend::native {

/// What lies behind the files of the host's that boxes may read.
struct Disks {
  std::vector<std::string> named;  ///< as io.max takes them: "8:0", the whole disk for a partition
  /// Some of it is on no disk that the kernel names, nor in memory: overlays, btrfs, the network.
  bool has_others = false;
};
/// The tree that all boxes are shown, with what is mounted beneath; and the directories that some
/// are, with which nothing of that comes.
[[nodiscard]] Disks disks_behind_tree(const Foundation& foundation);
[[nodiscard]] Disks with_folders(const Disks& tree, const Foundation& foundation);

/// Of what boxes may read no limit holds, for `why`.
[[nodiscard]] Reading unlimited_reading(const std::string& why, const char* source);

/// The pure part: the device numbers ("8:1") of the mounts at or beneath `source` in a mountinfo
/// text, and the types of their file systems.
struct Beneath {
  std::string device;
  std::string type;
};
[[nodiscard]] std::vector<Beneath> mounts_beneath(std::string_view source,
                                                  std::string_view mountinfo);

}  // namespace lazaret::backend::native
