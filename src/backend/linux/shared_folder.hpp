#pragma once

#include <cstdint>
#include <string>

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
  /// Which directory it is, by which mount it is seen, and who may do what there.
  struct Look {
    std::string source;
    std::uint64_t device = 0, inode = 0, mount = 0, flags = 0;
    std::uint32_t mode = 0, user = 0, group = 0;
    bool operator==(const Look&) const = default;
  };
  Look look;
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

/// Whether what stands there now is what was looked at, and may still be read. As long as a box has
/// it mounted, its identity is nobody else's.
[[nodiscard]] bool is_as_seen(const SharedFolder::Look& look);

}  // namespace lazaret::backend::native
