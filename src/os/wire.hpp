#pragma once

#include <filesystem>
#include <memory>
#include <utility>

#include "base/call.hpp"
#include "base/wire.hpp"
#include "os/handle.hpp"

namespace lazaret::os {

/// A Wire over a connected stream socket, which it owns and makes non-blocking.
[[nodiscard]] std::unique_ptr<Wire> wire_over(Handle stream);
/// The two ends of a connected pair (socketpair(2)); both close on exec.
[[nodiscard]] Result<std::pair<Handle, Handle>> stream_pair();
/// Connects to a Unix socket. Errors: not_found (no such path), permission_denied (EACCES: it is
/// there, but not for us), connection_refused (stale socket), timed_out, cancelled, system.
[[nodiscard]] Result<std::unique_ptr<Wire>> connect_unix(const std::filesystem::path& path,
                                                         const Call& call);

/// As connect_unix; and whoever listens must be this process's user or root (SO_PEERCRED), so that
/// nobody else can pass for a service of ours. Errors: permission_denied as well.
[[nodiscard]] Result<std::unique_ptr<Wire>> connect_own_unix(const std::filesystem::path& path,
                                                             const Call& call);

}  // namespace lazaret::os
