#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lazaret {

/// Something that holds foreign code. The names are the words of `evidence`, `doctor` and
/// `--require`.
enum class Control {
  network,      ///< no interface but a loopback, and no way out but the one asked for
  filesystem,   ///< read-only root, no host path writable, sensitive kernel files masked
  privileges,   ///< not root, no capability, no new privileges
  groups,       ///< in no group of the host's but its own
  timeout,      ///< a deadline and a kill that do not depend on the code's consent
  syscalls,     ///< a seccomp filter of ours on every process
  landlock,     ///< a second wall around files, sockets and signals: landlock(7)
  processes,    ///< a pid namespace of its own; the end of its init ends them all
  ipc,          ///< private System V and POSIX message queues and shared memory
  hostname,     ///< a UTS namespace of its own
  cgroup_view,  ///< a cgroup namespace of its own
  memory,       ///< bytes of memory, the whole box
  swap,         ///< no swap
  cpu,          ///< processor bandwidth
  pids,         ///< number of tasks
  open_files,   ///< descriptors of a process
  file_size,    ///< bytes of one file
  core_dumps,   ///< none are written
  disk,         ///< bytes and inodes of the writable directories
  environment,  ///< only allowed variables
  subprocess,   ///< no other process and no other program, where that is asked
};

/// In declaration order.
[[nodiscard]] const std::vector<Control>& all_controls();
[[nodiscard]] std::string_view name_of(Control control) noexcept;
[[nodiscard]] std::optional<Control> control_named(std::string_view name) noexcept;

/// network, filesystem, privileges and timeout.
[[nodiscard]] const std::set<Control>& default_required_controls();

enum class EvidenceStatus {
  enforced,      ///< in force as asked, and seen to be
  partial,       ///< something of it is in force; `applied` says what
  not_enforced,  ///< not in force here; `applied` says why
};

[[nodiscard]] std::string_view name_of(EvidenceStatus status) noexcept;

/// One control of one box: what was asked, what is in force, and how that was read.
struct Evidence {
  Control control;
  EvidenceStatus status;
  std::string requested;
  std::string applied;
  std::string verified_by;  ///< "engine inspect", "/proc from outside", "runner report", …
};

/// What a box does without, as a person reads it: "swap", "memory (partly)".
[[nodiscard]] std::vector<std::string> degraded(const std::vector<Evidence>& evidence);

}  // namespace lazaret
