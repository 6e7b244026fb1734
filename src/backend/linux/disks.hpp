#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/linux/order.hpp"

namespace lazaret::backend::native {

/// The disks that hold the host's files which boxes may read, as io.max takes them: "8:0", the
/// whole disk for a partition. File systems that name no disk, such as overlays, are left out.
[[nodiscard]] std::vector<std::string> disks_behind(const Foundation& foundation);

/// The pure part: the device numbers ("8:1") of the mounts at or beneath `source` in a mountinfo
/// text.
[[nodiscard]] std::vector<std::string> devices_beneath(std::string_view source,
                                                       std::string_view mountinfo);

}  // namespace lazaret::backend::native
