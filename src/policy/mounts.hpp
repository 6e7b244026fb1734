#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lazaret/confinement.hpp"
#include "lazaret/result.hpp"

namespace lazaret::policy {

inline constexpr std::size_t kMostMounts = 8;

/// An absolute path of the host, without "." and "..". Errors: invalid_argument.
[[nodiscard]] Status check_source(std::string_view path);

/// Places that hold the system, credentials or sockets of engines, are above such a place or in it;
/// and what is hidden in `home`, if that is not empty, or above it.
[[nodiscard]] bool is_never_shared(std::string_view path, std::string_view home);
[[nodiscard]] Error never_shared(std::string_view path);

/// By their words alone; what they name is looked at by who binds them. Errors: invalid_argument,
/// too_large; permission_denied for a source that lies in none of `allowed`.
[[nodiscard]] Status check_mounts(const std::vector<Mount>& mounts,
                                  const std::set<std::string>& allowed);

/// SOURCE:/mnt/NAME, with :ro or :rw behind it. Errors: invalid_argument.
[[nodiscard]] Result<Mount> parse_mount(std::string_view text);

}  // namespace lazaret::policy
