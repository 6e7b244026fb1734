#pragma once

#include <filesystem>

#include "lazaret/result.hpp"

namespace lazaret::os {

/// Makes a folder of mode 0700, and those above it; one that is there is looked at. Errors:
/// permission_denied where it is another user's or open to others; those of the system; unsupported
/// on Windows.
[[nodiscard]] Status make_private_folder(const std::filesystem::path& folder);

/// Makes a file that only this user may read and write, mode 0600, in a folder of mode 0700, and
/// the folders above it; what is there already is looked at, and nothing is changed about it.
/// Errors: permission_denied where the file or its folder is another user's or open to others;
/// those of the system; unsupported on Windows.
[[nodiscard]] Status make_private_file(const std::filesystem::path& file);

}  // namespace lazaret::os
