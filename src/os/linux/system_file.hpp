#pragma once

#include <string>

#include "os/handle.hpp"

namespace lazaret::os {

/// What a file of the kernel's says, at most 64 KiB of it; empty where it cannot be read.
[[nodiscard]] std::string text_of_system_file(RawHandle folder, const char* name);

}  // namespace lazaret::os
