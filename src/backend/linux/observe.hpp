#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/verdict.hpp"

namespace lazaret::backend::native {

/// Who a box is on the host, and whether it may be in groups of the host's.
struct OutsideIdentity {
  enum class Groups { none, of_caller } groups;
  std::uint32_t user;
  std::uint32_t group;
};

/// "pid:[4026532…]" and its like, of all kinds that a box has of its own; empty where it cannot be
/// read.
using Namespaces = std::array<std::string, 8>;
[[nodiscard]] Namespaces namespaces_of(pid_t pid);

/// What /proc shows of a box's first process from outside: identity, filter, and namespaces that
/// are none of `ours`.
[[nodiscard]] std::vector<Reading> read_proc(pid_t pid, const OutsideIdentity& expected,
                                             const Namespaces& ours);

/// Its hard limits, as /proc shows them from outside.
[[nodiscard]] std::vector<Reading> read_limits(pid_t pid, const Limits& limits);

/// "pid:[4026532…]" of a process's namespace, or nothing.
[[nodiscard]] std::optional<std::string> namespace_of(pid_t pid, const char* name);

/// Processes that are in this pid namespace now; zombies do not count (P-06).
[[nodiscard]] std::uint32_t processes_in(const std::string& pid_namespace);

}  // namespace lazaret::backend::native
