#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.hpp"
#include "backend/report.hpp"
#include "backend/verdict.hpp"
#include "base/call.hpp"
#include "os/handle.hpp"

namespace lazaret::backend::docker {

/// A box as this machine's own kernel shows it, where the engine runs on it: read without asking
/// the engine or believing the runner.
class LocalView {
 public:
  /// Nothing when the engine is elsewhere: `pid`, as the engine names it, must be a process here
  /// whose namespaces are those that the runner reports.
  [[nodiscard]] static std::optional<LocalView> of(std::uint64_t pid, const SelfReport& report);

  /// Namespaces compared with our own, identity and filter.
  [[nodiscard]] std::vector<Reading> readings() const;
  /// Adds the counters of the box's cgroup; false when it is gone already.
  [[nodiscard]] bool examine(Autopsy& autopsy) const;
  /// Waits for the end of the first process, and with it of all others.
  /// Errors: timed_out, cancelled.
  [[nodiscard]] Status wait_end(const Call& call) const;
  /// Processes in the box's pid namespace but for its first; zombies do not count (P-06).
  [[nodiscard]] std::uint32_t survivors() const;
  /// Whether no process of the box can hide from that, as from another ordinary user.
  [[nodiscard]] bool sees_all() const;

 private:
  LocalView() = default;
  [[nodiscard]] std::filesystem::path cgroup_of(const char* controller) const;
  [[nodiscard]] bool is_other(std::uint64_t pid) const;

  std::uint64_t pid_ = 0;
  os::Handle pidfd_;  // pid_ belongs to somebody else one day, this never does (P-05)
  std::map<std::string, std::string> namespaces_;
  std::map<std::string, std::filesystem::path> cgroups_;  // by controller; "" for version 2
};

/// Pure: the directories of a process's cgroups, from the texts of /proc/PID/cgroup and
/// /proc/self/mountinfo.
[[nodiscard]] std::map<std::string, std::filesystem::path> cgroup_directories(
    std::string_view cgroup, std::string_view mountinfo);

}  // namespace lazaret::backend::docker
