#include "backend/linux/observe_mounts.hpp"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "backend/linux/observe.hpp"

namespace lazaret::backend::native {
namespace {

// The box's own stands on the spawner's, which is to be read-only as well.
std::string wrong_with_proc(const SelfReport& seen) {
  const MountLine* top = nullptr;
  for (const MountLine& mount : seen.mounts) {
    if (mount.target != "/proc") continue;
    if (!mount.has("ro")) return "/proc is writable";
    top = &mount;
  }
  if (top == nullptr) return "/proc is missing";
  return top->setting("hidepid") == "ptraceable" ? "" : "/proc shows the runner (hidepid)";
}

std::string uncovered(const SelfReport& seen, const Foundation& foundation) {
  std::set<std::string_view> covered;
  for (const MountLine& mount : seen.mounts) {
    if (mount.has("ro")) covered.insert(mount.target);
  }
  for (std::uint32_t index = 0; index < foundation.mask_count; ++index) {
    const char* const name = foundation.masks[index].path.data();
    if (!covered.contains(name) && ::access(name, F_OK) == 0) return std::string(name) + " is open";
  }
  return "";
}

}  // namespace

Reading read_proc_mounts(const SelfReport& seen, const Foundation& foundation) {
  std::string wrong = wrong_with_proc(seen);
  if (wrong.empty()) wrong = uncovered(seen, foundation);
  if (!wrong.empty())
    return {Control::filesystem, EvidenceStatus::not_enforced, wrong, kFromOutside};
  return {Control::filesystem, EvidenceStatus::enforced,
          "sensitive kernel files covered, the runner not shown", kFromOutside};
}

Reading read_scratch_mounts(const SelfReport& seen, Profile profile) {
  for (const char* const path : {"/work", "/tmp", "/dev/shm"}) {
    if (profile == Profile::strict && path == std::string_view("/tmp")) continue;
    const bool own =
        std::any_of(seen.mounts.begin(), seen.mounts.end(), [path](const MountLine& mount) {
          return mount.target == path && mount.type == "tmpfs";
        });
    if (own) continue;
    return {Control::disk, EvidenceStatus::not_enforced,
            std::string(path) + " is no file system of its own", kFromOutside};
  }
  return {Control::disk, EvidenceStatus::enforced, "", kFromOutside};
}

}  // namespace lazaret::backend::native
