#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.hpp"
#include "backend/verdict.hpp"
#include "lazaret/limits.hpp"
#include "os/handle.hpp"

namespace lazaret::backend::native {

/// Where boxes may have cgroups of their own (cgroups(7), version 2 only).
struct CgroupBase {
  std::filesystem::path directory;  ///< empty when there is none
  std::string why_not;              ///< for people, when there is none
};

/// Finds the cgroup2 mount and a directory in which the memory, cpu and pids controllers can be
/// given to children, by doing it. Version 1 hierarchies are refused (L-45).
[[nodiscard]] CgroupBase find_cgroup_base();

/// The pure part: mount point of the cgroup2 file system in a mountinfo text, and the path of the
/// "0::" line in a /proc/self/cgroup text.
[[nodiscard]] std::optional<std::filesystem::path> cgroup2_mount(std::string_view mountinfo);
[[nodiscard]] std::optional<std::filesystem::path> own_cgroup(std::string_view proc_cgroup);

/// One box's cgroup; the destructor kills what is in it and removes it.
class Cgroup {
 public:
  [[nodiscard]] static Result<Cgroup> create(const CgroupBase& base, const std::string& name,
                                             const Limits& limits);
  Cgroup(Cgroup&& other) noexcept;
  Cgroup& operator=(Cgroup&&) = delete;
  ~Cgroup();

  [[nodiscard]] int descriptor() const noexcept { return directory_.get(); }
  /// What the kernel has in its files, compared with what was asked.
  [[nodiscard]] std::vector<Reading> readings(const Limits& limits) const;
  /// Kills what is in it and removes it; waits until the last process is gone.
  [[nodiscard]] Status remove(const Call& call);
  /// Adds usage and kill counters.
  void examine(Autopsy& autopsy) const;

 private:
  Cgroup(std::filesystem::path path, os::Handle directory);
  [[nodiscard]] std::string read(const char* file) const;
  [[nodiscard]] Status write(const char* file, const std::string& text) const;
  [[nodiscard]] std::optional<std::uint64_t> field(const char* file, std::string_view name) const;

  std::filesystem::path path_;
  os::Handle directory_;
};

}  // namespace lazaret::backend::native
