#pragma once

#include <sys/types.h>

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/linux/order.hpp"
#include "lazaret/result.hpp"

namespace lazaret::backend::native {

/// What all native boxes of this host share: a read-only root of the host's programs and libraries,
/// a handful of files of /etc, devices that hold nothing, and nothing else of the host; what is
/// covered in /proc; and what is shown of it in /mnt. Looks at the host once; what does not exist
/// is left out. Errors: too_large when the host's layout does not fit.
[[nodiscard]] Result<Foundation> foundation_of_host(const Identity& identity,
                                                    std::span<const Folder> folders = {});

/// Whether the host's paths still mean the files and directories that they meant then, and what is
/// copied has not changed. A bind mount keeps showing what was there when it was made, also when
/// the host has put something new in its place, as ldconfig(8) does; what is changed where it is,
/// is seen through it.
[[nodiscard]] bool still_holds(const Foundation& foundation);

/// Paths of /proc that tell about the host or could change it.
[[nodiscard]] const std::vector<std::string_view>& masked_proc_paths();

}  // namespace lazaret::backend::native
