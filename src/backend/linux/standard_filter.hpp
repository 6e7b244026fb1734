#pragma once

#include <linux/filter.h>

namespace lazaret::backend::native {

/// The standard profile as a program for seccomp(2), for this machine's own architecture only:
/// calls through any other entry (ia32, x32) end the process. Made at build time by
/// filter/generator.cpp.
[[nodiscard]] sock_fprog standard_filter() noexcept;

}  // namespace lazaret::backend::native
