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

/// Runtimes that reserve far more address space than they use die under RLIMIT_AS (P-50).
[[nodiscard]] bool reserves_address_space(const policy::Spec& spec);

}  // namespace lazaret::backend::native
