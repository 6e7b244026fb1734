#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.hpp"
#include "backend/linux/cgroup_base.hpp"
#include "backend/linux/disks.hpp"
#include "backend/verdict.hpp"
#include "lazaret/limits.hpp"
#include "os/handle.hpp"

namespace lazaret::backend::native {

/// One box's cgroup; the destructor kills what is in it and removes it.
class Cgroup {
 public:
  /// What goes when memory runs out: one process, or all together.
  enum class Victims { one, all };

  /// `disks` as of disks.hpp: what is read from each is bounded where it can be.
  [[nodiscard]] static Result<Cgroup> create(const CgroupBase& base, const Limits& limits,
                                             Victims victims, const Disks& disks);
  Cgroup(Cgroup&& other) noexcept;
  Cgroup& operator=(Cgroup&&) = delete;
  ~Cgroup();

  [[nodiscard]] int descriptor() const noexcept { return directory_.get(); }
  /// What the kernel has in its files, compared with what was asked for a box whose first process
  /// is `first`.
  [[nodiscard]] std::vector<Reading> readings(const Limits& limits, pid_t first) const;
  /// Kills what is in it and removes it; waits until the last process is gone.
  [[nodiscard]] Status remove(const Call& call);
  /// Adds usage and kill counters.
  void examine(Autopsy& autopsy) const;
  /// Living processes in it.
  [[nodiscard]] std::uint32_t processes() const;

 private:
  Cgroup(std::filesystem::path path, os::Handle directory);
  [[nodiscard]] std::string read(const char* file) const;
  [[nodiscard]] bool has(const char* file) const;
  [[nodiscard]] const char* why_missing(Control control) const;
  [[nodiscard]] const char* oom_group() const;
  [[nodiscard]] Status limit_disks(const Limits& limits) const;
  [[nodiscard]] bool holds(pid_t process) const;
  [[nodiscard]] std::vector<Reading> disk_readings(const Limits& limits) const;
  [[nodiscard]] Status write(const char* file, const std::string& text) const;
  [[nodiscard]] std::optional<std::uint64_t> field(const char* file, std::string_view name) const;

  pid_t owner_;
  std::shared_ptr<CgroupRow> row_;  // written before, and taken back after the last
  std::filesystem::path path_;
  os::Handle directory_;
  Disks disks_;
  Victims victims_ = Victims::all;
};

}  // namespace lazaret::backend::native
