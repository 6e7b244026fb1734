#pragma once

#include <cstdint>

namespace lazaret::backend::native {

/// A new file with this content; never follows or replaces what is there.
[[nodiscard]] bool make_file(const char* path, const char* content) noexcept;
/// One write(2) to a file that is there.
[[nodiscard]] bool write_file(const char* path, const char* content) noexcept;
/// A file that is there begins with this text.
[[nodiscard]] bool file_says(const char* path, const char* text) noexcept;
/// What is mounted here from now on is seen in no other mount namespace (mountinfo(5), shared).
[[nodiscard]] bool keeps_mounts_to_itself() noexcept;
/// Binds `source` and what is mounted below it.
[[nodiscard]] bool bind_tree(const char* source, const char* target) noexcept;
/// Adds MOUNT_ATTR_… to one mount, or with AT_RECURSIVE to all below it (mount_setattr(2)).
[[nodiscard]] bool restrict_mount(const char* path, std::uint64_t attributes,
                                  unsigned flags) noexcept;

}  // namespace lazaret::backend::native
