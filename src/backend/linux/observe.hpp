#pragma once

#include <sys/types.h>

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

/// What /proc shows of a box's first process from outside: identity, filter and namespaces.
[[nodiscard]] std::vector<Reading> read_proc(pid_t pid, const OutsideIdentity& expected);

/// "pid:[4026532…]" of a process's namespace, or nothing.
[[nodiscard]] std::optional<std::string> namespace_of(pid_t pid, const char* name);

/// Processes that are in this pid namespace now; zombies do not count (P-06).
[[nodiscard]] std::uint32_t processes_in(const std::string& pid_namespace);

}  // namespace lazaret::backend::native
