#pragma once

#include <string_view>
#include <vector>

#include "backend/linux/order.hpp"
#include "lazaret/result.hpp"

namespace lazaret::backend::native {

/// What all native boxes of this host share: a read-only root of the host's programs and libraries,
/// a handful of files of /etc, devices that hold nothing, and nothing else of the host; what is
/// covered in /proc; the system call filter. Looks at the host once; what does not exist is left
/// out. Errors: too_large when the host's layout does not fit.
[[nodiscard]] Result<Foundation> foundation_of_host();

/// Paths of /proc that tell about the host or could change it.
[[nodiscard]] const std::vector<std::string_view>& masked_proc_paths();

}  // namespace lazaret::backend::native
