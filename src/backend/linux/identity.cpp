#include "backend/linux/identity.hpp"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>

#include "backend/linux/subordinate.hpp"

namespace lazaret::backend::native {
namespace {

// Whether an id map of ours has a line that holds `id` (user_namespaces(7): inside, outside,
// count). Where it shows none it is taken for one that does: a box that cannot become nobody is
// refused, and one that stayed root for want of a look would not be.
bool maps(const char* path, std::uint64_t id) {
  std::ifstream file(path);
  bool is_known = false;
  for (std::uint64_t inside = 0, outside = 0, count = 0; file >> inside >> outside >> count;) {
    if (id >= inside && id - inside < count) return true;
    is_known = true;
  }
  return !is_known;
}

bool has_what_makes_boxes() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2] = {};
  return ::syscall(SYS_capget, &header, sets) != 0 ||  // as above
         (sets[0].effective & kMakesBoxes) == kMakesBoxes;
}

// Root with its usual capabilities, in a namespace that has somebody for nobody.
bool may_give_ids() {
  return ::geteuid() == 0 && has_what_makes_boxes() && maps("/proc/self/uid_map", kInsideId) &&
         maps("/proc/self/gid_map", kInsideId);
}

}  // namespace

Identity identity_of_host() {
  if (may_give_ids()) return {HostIdentity::nobody};
  const auto ids = ::geteuid() == 0 ? std::nullopt : subordinate_ids();
  if (!ids) return {HostIdentity::caller};
  return {HostIdentity::subordinate, ids->user, ids->group};
}

}  // namespace lazaret::backend::native
