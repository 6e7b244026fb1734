#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lazaret/result.hpp"

namespace lazaret::os {

/// The file that this process was started from. Errors: not_found, unsupported.
[[nodiscard]] Result<std::filesystem::path> own_program();
/// Becomes another program, with this one's descriptors, environment and id; returns only when
/// that fails. Errors: not_found, permission_denied, unsupported (Windows), system.
[[nodiscard]] Error become(const std::filesystem::path& program,
                           const std::vector<std::string>& argv);

}  // namespace lazaret::os
