#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/call.hpp"
#include "lazaret/result.hpp"

namespace lazaret::backend::native {

/// A user and a group of the host that an administrator has given to an ordinary user besides his
/// own (subuid(5), subgid(5)).
struct SubordinateIds {
  std::uint32_t user = 0;
  std::uint32_t group = 0;
};

/// Of the caller's ranges in /etc/subuid and /etc/subgid; nothing where one is missing. Ranges from
/// elsewhere than these files are not looked for.
[[nodiscard]] std::optional<SubordinateIds> subordinate_ids();

/// Writes the id maps of a process that is in a new user namespace: 0 is the caller there and
/// `inside` is `ids`. setgroups(2) stays allowed. Errors: permission_denied when newuidmap or
/// newgidmap refuses; not_found, start_failed, timed_out, system.
[[nodiscard]] Status map_subordinate(pid_t pid, std::uint32_t inside, const SubordinateIds& ids,
                                     const Call& call);

/// The pure part: the last id of the first range that such a file gives to a user, who may stand
/// there by name or by number.
struct Owner {
  std::string_view name;
  std::uint32_t number = 0;
};
[[nodiscard]] std::optional<std::uint32_t> last_id_of(std::string_view file, const Owner& owner);

}  // namespace lazaret::backend::native
