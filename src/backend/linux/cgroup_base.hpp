#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "backend/linux/cgroup_row.hpp"
#include "backend/linux/cgroup_seat.hpp"

namespace lazaret::backend::native {

/// Where boxes may have cgroups of their own (cgroups(7), version 2 only).
struct CgroupBase {
  std::filesystem::path directory;  ///< empty when there is none
  std::string why_not;              ///< for people, when there is none
  CgroupSeat seat;
  /// A service manager has the say there and may take the controllers back at any time; better is
  /// what it has handed out (systemd.resource-control(5), Delegate=).
  bool managed = false;
  std::shared_ptr<CgroupRow> row = {};  ///< null where no journal is wanted
};

/// Finds the cgroup2 mount and, from our own place upwards, a directory in which the memory, cpu
/// and pids controllers can be given to children, by doing it. Version 1 hierarchies are refused
/// (L-45). What runs that were killed have left there is cleared (L-49).
[[nodiscard]] CgroupBase find_cgroup_base(std::shared_ptr<CgroupRow> row);

/// "cpu io": controllers that boxes there are to be held by and are not; empty when all are there.
[[nodiscard]] std::string controllers_missing_in(const std::filesystem::path& directory);

/// Of these words those that the cgroup of all cannot give: not in this kernel, or in version 1.
[[nodiscard]] std::string controllers_unknown_to(const std::filesystem::path& mount,
                                                 std::string_view controllers);

/// A mount of version 2 that has the controllers which boxes need.
[[nodiscard]] std::optional<std::filesystem::path> unified_mount();

/// The cgroup of version 2 that a process is in, as /proc names it.
[[nodiscard]] std::optional<std::filesystem::path> cgroup_of(pid_t pid);

/// The cgroup of a process that is the only one in it and is to clone boxes: it moves into a leaf,
/// for good, and the controllers are given to children. The row was written.
[[nodiscard]] CgroupBase cgroup_base_of(pid_t pid, std::shared_ptr<CgroupRow> row);

/// The pure part: the first cgroup2 file system of a mountinfo text, and the path of the "0::" line
/// of a /proc/self/cgroup text.
struct Cgroup2Mount {
  std::filesystem::path root;   ///< the cgroup that is seen at `point`
  std::filesystem::path point;  ///< an absolute path
};
[[nodiscard]] std::optional<Cgroup2Mount> cgroup2_mount(std::string_view mountinfo);
[[nodiscard]] std::optional<std::filesystem::path> own_cgroup(std::string_view proc_cgroup);
/// Where a cgroup lies beneath the mount; nothing when it lies outside of it.
[[nodiscard]] std::optional<std::filesystem::path> directory_of(const std::filesystem::path& cgroup,
                                                                const Cgroup2Mount& mount);

}  // namespace lazaret::backend::native
