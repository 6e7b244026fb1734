#pragma once

#include <vector>

#include "backend/linux/order.hpp"
#include "lazaret/confinement.hpp"
#include "lazaret/result.hpp"
#include "os/handle.hpp"
#include "policy/spec.hpp"

namespace lazaret::backend::native {

/// A directory of the host's that was opened without following any link, looked at, and may be
/// shared. While it is open its identity is nobody else's.
struct SharedFolder {
  os::Handle handle;
  Folder folder;
  std::string warning;  ///< when the box's own user may not do there what was asked; may be empty
};

/// Who enters a shared directory, as the host sees it.
struct Visitor {
  std::uint32_t user;
  std::uint32_t group;
};

/// Errors: not_found; permission_denied for what the caller may not read, and, but for the packages
/// that Lazaret itself has put together, for places that hold the system, secrets or sockets of
/// engines, are above such a place or in it.
[[nodiscard]] Result<SharedFolder> open_folder(const Mount& mount, const policy::Spec& spec,
                                               const Visitor& visitor);

}  // namespace lazaret::backend::native
