#pragma once

#include <linux/filter.h>

#include "lazaret/confinement.hpp"

namespace lazaret::backend::native {

/// A profile's list as a program for seccomp(2), for this machine's own architecture only: calls
/// through any other entry (ia32, x32) end the process. Made at build time by filter/generator.cpp.
[[nodiscard]] sock_fprog filter_of(Profile profile, Loopback loopback) noexcept;

}  // namespace lazaret::backend::native
