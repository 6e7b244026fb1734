#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/call.hpp"
#include "lazaret/result.hpp"

namespace lazaret::backend::native {

/// This process in a leaf of its own beneath a cgroup, because a cgroup that hands controllers to
/// its children may hold no process itself (cgroups(7), "no internal processes", P-52). The
/// destructor goes back and takes the leaf and the controllers away, unless somebody else needs
/// them by now.
class CgroupSeat {
 public:
  CgroupSeat() = default;
  /// Only where this process is the only one. Errors: denied, system.
  [[nodiscard]] static Result<CgroupSeat> take(const std::filesystem::path& directory);
  CgroupSeat(CgroupSeat&& other) noexcept;
  CgroupSeat& operator=(CgroupSeat&& other) noexcept;
  ~CgroupSeat();

 private:
  void leave() noexcept;

  std::filesystem::path directory_;  ///< empty when there is nothing to go back to
};

/// Where boxes may have cgroups of their own (cgroups(7), version 2 only).
struct CgroupBase {
  std::filesystem::path directory;  ///< empty when there is none
  std::string why_not;              ///< for people, when there is none
  CgroupSeat seat;
};

/// Finds the cgroup2 mount and, from our own place upwards, a directory in which the memory, cpu
/// and pids controllers can be given to children, by doing it. Version 1 hierarchies are refused
/// (L-45). What runs that were killed have left there is cleared (L-49).
[[nodiscard]] CgroupBase find_cgroup_base();

/// A directory for the box of this name that no other process, in whatever pid namespace, uses.
[[nodiscard]] std::filesystem::path box_directory(const CgroupBase& base, const std::string& name);

/// Kills what is in the cgroup and removes it; waits until the last process is gone. One that is
/// not there is removed.
[[nodiscard]] Status remove_cgroup(const std::filesystem::path& directory, const Call& call);

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

/// The process that a directory of ours belongs to, by its name.
struct CgroupName {
  std::uint64_t pid = 0;
  std::uint64_t pid_namespace = 0;
};
/// Nothing for names that we do not give, such as those of a service manager's units.
[[nodiscard]] std::optional<CgroupName> parse_cgroup_name(std::string_view name);

}  // namespace lazaret::backend::native
