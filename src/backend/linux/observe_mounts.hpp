#pragma once

#include "backend/linux/foundation.hpp"
#include "backend/report.hpp"
#include "backend/verdict.hpp"

/// What a box has mounted, as its folder in /proc shows it to others (proc(5), mountinfo).
namespace lazaret::backend::native {

/// Whether a /proc shows processes to those alone who may look into them, every revealing entry
/// that this kernel has is covered, and what is left is read-only.
[[nodiscard]] Reading read_proc_mounts(const SelfReport& seen, const Foundation& foundation);

/// Whether what a box may write to are file systems of its own. WHY: statfs(2), which the runner
/// has, takes a part of the bounded root for a bounded file system.
[[nodiscard]] Reading read_scratch_mounts(const SelfReport& seen, Profile profile);

}  // namespace lazaret::backend::native
