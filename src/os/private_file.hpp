#pragma once

#include <filesystem>

#include "lazaret/result.hpp"
#include "os/handle.hpp"

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

/// Makes a file that says that somebody lives: it is locked (flock(2)) as long as the handle is
/// there, however its process ends. It gets its name when it is locked; where the file system
/// has no locks there is no file, and the handle is none. Errors: those of the system; unsupported
/// on Windows.
[[nodiscard]] Result<Handle> make_held_file(const std::filesystem::path& file);
/// Whether the handle of such a file lives; true as well for what cannot be looked at.
[[nodiscard]] bool is_held(const std::filesystem::path& file);

}  // namespace lazaret::os
