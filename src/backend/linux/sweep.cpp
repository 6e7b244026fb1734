#include "backend/sweep.hpp"

#include <filesystem>

#include "backend/linux/cgroup_base.hpp"
#include "backend/linux/cgroup_directory.hpp"
#include "base/file.hpp"

namespace lazaret::backend {
namespace {

namespace fs = std::filesystem;
using journal::Standing;
using native::CgroupName;

constexpr std::chrono::seconds kRemoveBound{5};

Finding judge_cgroup(const fs::path& directory, const CgroupName& name, Standing standing, Act act,
                     const Call& call) {
  Finding finding{"cgroup", "", directory.string(), static_cast<std::uint32_t>(name.pid)};
  if (standing != Standing::dead) {
    journal::Owner owner;
    owner.pid = finding.pid;
    finding.why = reason_of(standing, owner);
    return finding;
  }
  finding.fate = Fate::found;
  if (act == Act::look) return finding;
  const Status removed = native::remove_left(directory, name, call.within(kRemoveBound));
  finding.fate = removed.ok() ? Fate::removed : Fate::failed;
  if (removed.ok()) return finding;
  finding.why = removed.error().message();
  finding.hint = "look who is in it (cgroup.procs), or run lazaret gc as its user";
  return finding;
}

// Boxes' own cgroups are not entered: they hold no others of ours.
void sweep_beneath(std::vector<Finding>& findings, const fs::path& directory, Act act,
                   const Call& call) {
  for (const fs::path& child : native::children_of(directory)) {
    const auto name = native::parse_cgroup_name(child.filename().string());
    if (!name) {
      sweep_beneath(findings, child, act, call);
      continue;
    }
    const Standing standing = native::standing_of(*name, child);
    if (standing != Standing::alive)
      findings.push_back(judge_cgroup(child, *name, standing, act, call));
  }
}

}  // namespace

// All that is mounted here: a box's cgroup may lie wherever its Lazaret was started.
std::vector<Finding> sweep_native(Act act, const Call& call) {
  std::vector<Finding> findings;
  const auto mount = native::cgroup2_mount(text_of_file("/proc/self/mountinfo"));
  if (mount) sweep_beneath(findings, mount->point, act, call);
  return findings;
}

}  // namespace lazaret::backend
