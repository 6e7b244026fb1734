#pragma once

#include "backend/linux/order.hpp"
#include "lazaret/result.hpp"
#include "policy/spec.hpp"

namespace lazaret::backend::native {

/// Whether a cgroup holds memory and tasks, or resource limits have to.
enum class HeldBy { cgroup, limits };

/// The spec's numbers, as the spawner takes them.
[[nodiscard]] Order order_of(const policy::Spec& spec, HeldBy held_by);

/// Runtimes that reserve far more address space than they use die under RLIMIT_AS (P-50).
[[nodiscard]] bool reserves_address_space(const policy::Spec& spec);

}  // namespace lazaret::backend::native
