#pragma once

#include <array>
#include <cstdint>

#include "backend/linux/order.hpp"
#include "lazaret/result.hpp"
#include "policy/spec.hpp"

namespace lazaret::backend::native {

/// Whether a cgroup holds memory and tasks, or resource limits have to.
enum class HeldBy { cgroup, limits };

/// The spec's numbers, as the spawner takes them.
[[nodiscard]] Order order_of(const policy::Spec& spec, HeldBy held_by);

/// A set of processors as the kernel takes it.
using Processors = std::array<std::uint64_t, 16>;

/// As many of `available` as `cpus` needs, another choice each `turn`, so that a program that
/// counts its processors counts right (P-53). Nothing when it may have all of them.
[[nodiscard]] Processors share_of(const Processors& available, double cpus, std::size_t turn);

/// Runtimes that reserve far more address space than they use die under RLIMIT_AS (P-50).
[[nodiscard]] bool reserves_address_space(const policy::Spec& spec);

}  // namespace lazaret::backend::native
