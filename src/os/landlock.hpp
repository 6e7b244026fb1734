#pragma once

#include <cstdint>

#include "lazaret/result.hpp"

namespace lazaret::os {

/// Denies the calling process and all its children, for ever, every access to files but reading and
/// executing, what is below /work, /tmp, /dev/shm and writable mounts in /mnt, and the devices of
/// /dev; abstract sockets of, and signals to, processes outside; where it can make no sockets of
/// the Internet, TCP with others (landlock(7)). The version of the interface that the kernel has,
/// and so what of this is in force: 6 and above all of it. Needs no_new_privs. Errors: unsupported
/// where the kernel has no Landlock or it is off.
[[nodiscard]] Result<std::uint32_t> restrict_access();

}  // namespace lazaret::os
