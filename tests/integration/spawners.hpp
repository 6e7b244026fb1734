#pragma once

#include <sys/types.h>

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
/// Descriptors that it has open.
[[nodiscard]] std::size_t descriptors_of(pid_t process);
/// VmRSS.
[[nodiscard]] std::size_t resident_kib(pid_t process);

}  // namespace lazaret::test
