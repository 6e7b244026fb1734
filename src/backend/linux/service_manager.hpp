#pragma once

#include <sys/types.h>

#include "backend/linux/cgroup_base.hpp"
#include "base/call.hpp"

namespace lazaret::backend::native {

/// Asks systemd, the user's own manager or for root the system's, for a transient scope that is
/// delegated (systemd.scope(5), Delegate=) around the process `pid`, which is to clone the boxes,
/// and makes a place for boxes of it, which stand in the row of the `callers` base. The scope goes
/// with the last process in it. Waits half a second at most until the manager greets, and as long
/// until it is done. Where version 2 is not in use nobody is asked. Without a scope `directory` is
/// empty, and `why_not` is that of the callers and why there is none.
[[nodiscard]] CgroupBase scope_of(pid_t pid, const CgroupBase& callers, const Call& call);

}  // namespace lazaret::backend::native
