#pragma once

#include <sys/types.h>

#include "backend/linux/child.hpp"
#include "base/call.hpp"
#include "lazaret/result.hpp"
#include "os/handle.hpp"

namespace lazaret::backend::native {

/// A first process in its own namespaces that has become the runner.
struct Launched {
  pid_t pid = -1;
  os::Handle pidfd;
};

struct LaunchOptions {
  uid_t host_uid;  ///< what the box's 65534 is outside
  gid_t host_gid;
  int cgroup = -1;  ///< directory of the cgroup to be born in, or -1
};

/// Clones into user, mount, pid, net, ipc, uts and cgroup namespaces, writes the id maps and waits
/// until the child has executed the runner. `plan.go` and `plan.report` are filled in here. Errors:
/// permission_denied or unsupported when the kernel refuses namespaces; system with the step's
/// name.
[[nodiscard]] Result<Launched> launch(ChildPlan plan, const LaunchOptions& options,
                                      const Call& call);

/// Ends a launched process and everything in its pid namespace, and waits until it is gone.
[[nodiscard]] Status end(const Launched& launched, const Call& call);

}  // namespace lazaret::backend::native
