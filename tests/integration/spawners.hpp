#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace lazaret::test {

/// Both processes of each spawner that `caller` has started: its child and that one's child.
[[nodiscard]] std::vector<pid_t> spawners_of(pid_t caller);
/// All have ended; zombies have (P-06).
[[nodiscard]] bool are_gone(const std::vector<pid_t>& processes);
void signal_all(const std::vector<pid_t>& processes, int signal);
/// Its living children and its zombies.
[[nodiscard]] std::size_t children_of(pid_t process);
/// All that it has started, and all that those have; zombies included.
[[nodiscard]] std::vector<pid_t> descendants_of(pid_t process);
/// 0 where there is no such process.
[[nodiscard]] pid_t parent_of(pid_t process);
/// Processor time of those that live, in the kernel's hundredths of a second.
[[nodiscard]] std::chrono::milliseconds used_by(const std::vector<pid_t>& processes);
/// Descriptors that it has open.
[[nodiscard]] std::size_t descriptors_of(pid_t process);
/// VmRSS.
[[nodiscard]] std::size_t resident_kib(pid_t process);

}  // namespace lazaret::test
