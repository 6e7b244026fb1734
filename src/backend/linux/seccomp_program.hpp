#pragma once

#include <linux/filter.h>

#include <vector>

#include "backend/seccomp/profile.hpp"
#include "lazaret/result.hpp"

namespace lazaret::backend::native {

/// The profile as a program for seccomp(2), for this machine's own architecture only: calls through
/// any other entry (ia32, x32) end the process.
[[nodiscard]] Result<std::vector<sock_filter>> compile(const seccomp::Profile& profile);

}  // namespace lazaret::backend::native
