#pragma once

#include <cerrno>

namespace lazaret::os {

/// What became of a system call that gave `result`: 0, or its errno, read at once.
[[nodiscard]] inline int outcome(long result) noexcept { return result < 0 ? errno : 0; }

}  // namespace lazaret::os
