#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/linux/plan.hpp"
#include "backend/verdict.hpp"
#include "os/handle.hpp"

namespace lazaret::backend::native {

/// The source of what is read here.
inline constexpr const char* kFromOutside = "/proc from outside";

/// Who a box is on the host, and whether it may be in groups of the host's.
struct OutsideIdentity {
  enum class Groups { none, of_caller } groups;
  std::uint32_t user;
  std::uint32_t group;
};

/// "pid:[4026532…]" and its like, of all kinds that a box has of its own; empty where it cannot be
/// read.
using Namespaces = std::array<std::string, 8>;
/// Of whom a folder of /proc is.
[[nodiscard]] Namespaces namespaces_of(const os::Handle& folder);

/// In /proc, of a process and of the calling thread; not valid where there is none.
[[nodiscard]] os::Handle folder_of(pid_t pid);
[[nodiscard]] os::Handle folder_of_thread();

/// A box's interfaces and what it has mounted, in the words of a runner, which says none of it
/// natively.
[[nodiscard]] std::string seen_from_outside(const os::Handle& folder);

/// Whether a box's namespaces are none of `ours`, nor of the spawner's that has made it, which its
/// other boxes would have as well.
[[nodiscard]] std::vector<Reading> read_namespaces(const Namespaces& theirs, const Namespaces& ours,
                                                   const Namespaces& makers);

/// What its folder in /proc shows of a box's first process from outside: identity and filter.
[[nodiscard]] std::vector<Reading> read_proc(const os::Handle& folder,
                                             const OutsideIdentity& expected);

/// Its hard limits, as its folder shows them; those too that stand in for a cgroup, where they do.
[[nodiscard]] std::vector<Reading> read_limits(const os::Handle& folder, const policy::Spec& spec,
                                               HeldBy held);

/// Whether its network has no address, as one has whose loopback interface is down; nothing where
/// the kernel does not tell.
[[nodiscard]] std::optional<Reading> read_silence(const os::Handle& folder);

/// "pid:[4026532…]" of a process's namespace, or nothing.
[[nodiscard]] std::optional<std::string> namespace_of(pid_t pid, const char* name);

/// The pid namespace as it stands among these.
[[nodiscard]] std::string pid_namespace_of(const Namespaces& all);

/// Processes that are in this pid namespace now; zombies do not count (P-06).
[[nodiscard]] std::uint32_t processes_in(const std::string& pid_namespace);

}  // namespace lazaret::backend::native
