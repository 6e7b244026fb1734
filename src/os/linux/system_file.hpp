#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "os/handle.hpp"

namespace lazaret::os {

/// What a file of the kernel's says, at most 64 KiB of it; empty where it cannot be read.
[[nodiscard]] std::string text_of_system_file(RawHandle folder, const char* name);
/// The number that stands there, behind blanks; nothing where none does.
[[nodiscard]] std::optional<std::uint64_t> number_at(std::string_view text, std::size_t at,
                                                     int base);

}  // namespace lazaret::os
