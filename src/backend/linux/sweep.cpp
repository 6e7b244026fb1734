#include "backend/sweep.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "backend/leases.hpp"
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

bool is_whose(const CgroupName& name, const journal::Owner& owner) {
  return name.pid == owner.pid && name.namespaces == owner.namespaces &&
         name.started == owner.started;
}

/// One walk through all that is mounted here: a box's cgroup may lie wherever its Lazaret was
/// started.
class Walk {
 public:
  Walk(const Leases& leases, Act act, const Call& call) : leases_(leases), act_(act), call_(call) {
    for (journal::Lease& lease : leases.all()) {
      if (lease.thing.kind != journal::Kind::cgroup) continue;
      const Standing standing = leases.standing_of(lease.owner);
      if (standing == Standing::dead)
        dead_.push_back(std::move(lease));
      else if (standing == Standing::alive)
        living_.push_back(std::move(lease));
    }
  }

  void everywhere() {
    const auto mount = native::cgroup2_mount(text_of_file("/proc/self/mountinfo"));
    is_mounted_ = mount.has_value();
    if (mount) beneath(mount->point);
  }
  /// Rows of the dead of whom nothing is left, as far as that can be told from here.
  void settle() const {
    if (act_ != Act::remove) return;
    for (const journal::Lease& lease : dead_) {
      if (is_of_another_boot(lease) || (is_all_seen_of(lease) && !is_any_of(lease, stuck_)))
        (void)leases_.journal()->settle(lease.thing, lease.owner.id).ok();
    }
  }
  [[nodiscard]] std::vector<Finding> findings() && { return std::move(findings_); }

 private:
  // With the machine's run all cgroups have ended.
  [[nodiscard]] bool is_of_another_boot(const journal::Lease& lease) const {
    return lease.owner.boot != leases_.owner().boot;
  }
  static bool is_any_of(const journal::Lease& lease, const std::vector<CgroupName>& names) {
    return std::ranges::any_of(
        names, [&](const CgroupName& name) { return is_whose(name, lease.owner); });
  }
  // What a container has made may lie where this process does not look.
  [[nodiscard]] bool is_all_seen_of(const journal::Lease& lease) const {
    if (!is_mounted_ || was_cut_) return false;
    return lease.owner.namespaces == leases_.owner().namespaces || is_any_of(lease, removed_) ||
           !is_younger(lease, kMayBeSeen);
  }
  // Boxes' own cgroups are not entered: they hold no others of ours.
  void beneath(const fs::path& directory) {
    for (const fs::path& child : native::children_of(directory)) {
      was_cut_ = was_cut_ || !call_.check().ok();
      if (was_cut_) return;
      const auto name = native::parse_cgroup_name(child.filename().string());
      if (name)
        look_at(child, *name);
      else
        beneath(child);
    }
  }
  void look_at(const fs::path& directory, const CgroupName& name) {
    const Standing standing = standing_of(name, directory);
    if (standing == Standing::alive) return;
    findings_.push_back(judge_cgroup(directory, name, standing, act_, call_));
    (findings_.back().fate == Fate::removed ? removed_ : stuck_).push_back(name);
  }
  // The journal knows of processes in other pid namespaces, too, whose numbers mean nothing here.
  [[nodiscard]] Standing standing_of(const CgroupName& name, const fs::path& directory) const {
    const Standing seen = native::standing_of(name, directory);
    const auto is_here = [&](const journal::Lease& lease) {
      return !is_of_another_boot(lease) && is_whose(name, lease.owner);
    };
    const bool is_dead =  // a process may have several rows
        std::ranges::any_of(dead_, is_here) && std::ranges::none_of(living_, is_here);
    return seen == Standing::other_namespace && is_dead ? Standing::dead : seen;
  }

  const Leases& leases_;
  Act act_;
  const Call& call_;
  std::vector<journal::Lease> dead_, living_;
  std::vector<CgroupName> stuck_, removed_;
  bool is_mounted_ = false, was_cut_ = false;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> sweep_native(const Leases& leases, Act act, const Call& call) {
  Walk walk(leases, act, call);
  walk.everywhere();
  walk.settle();
  return std::move(walk).findings();
}

}  // namespace lazaret::backend
