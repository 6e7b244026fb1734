#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "lazaret/result.hpp"

namespace lazaret::os {

/// What a file holds that belongs to this process's user, and that nobody else may read or write.
/// Errors: not_found, for what is no regular file too; permission_denied; too_large for more than
/// `most_bytes`; system.
[[nodiscard]] Result<std::string> read_secret(const std::filesystem::path& path,
                                              std::size_t most_bytes);

}  // namespace lazaret::os
