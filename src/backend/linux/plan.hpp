#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "backend/linux/order.hpp"
#include "lazaret/result.hpp"
#include "policy/spec.hpp"

namespace lazaret::backend::native {

/// Whether a cgroup holds memory and tasks, or resource limits have to.
enum class HeldBy { cgroup, limits };

/// The spec's numbers, as the spawner takes them.
[[nodiscard]] Order order_of(const policy::Spec& spec, HeldBy held_by);

/// The numbers of a set of processors, in their order, and the set of every `step`th of them from
/// the `first`.
[[nodiscard]] std::vector<std::size_t> numbers_of(const Processors& processors);
[[nodiscard]] Processors every(std::span<const std::size_t> numbers, std::size_t first,
                               std::size_t step);

/// As many of `available` as `cpus` needs, another choice each `turn`, so that a program that
/// counts its processors counts right (P-53); all when it needs as many.
[[nodiscard]] Processors share_of(const Processors& available, double cpus, std::size_t turn);

/// What bounds the memory of each process where no cgroup bounds that of all (setrlimit(2)).
struct MemoryBound {
  int resource;
  const char* reported;   ///< by the runner
  const char* in_limits;  ///< by the kernel, in proc(5)
};

/// RLIMIT_AS; for runtimes that die under it, because they reserve far more than they use (P-50),
/// RLIMIT_DATA, which counts what is private and writable; none for those that make all that they
/// reserve writable at once, and for java, whose threads take as much as its heap leaves.
[[nodiscard]] const MemoryBound* memory_bound_of(const policy::Spec& spec);

}  // namespace lazaret::backend::native
