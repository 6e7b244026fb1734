#include "backend/docker/inside.hpp"

#include <algorithm>

#include "backend/docker/harden.hpp"
#include "base/number.hpp"

namespace lazaret::backend::docker {
namespace {

constexpr const char* kCgroupFiles = "cgroup files in the box";
constexpr const char* kReport = "runner report";

Reading decide(Control control, bool holds, std::string text) {
  return {control, holds ? EvidenceStatus::enforced : EvidenceStatus::not_enforced, std::move(text),
          kCgroupFiles};
}

Reading at_most(Control control, const SelfReport& report, const std::string& key,
                std::uint64_t most) {
  const auto found = report.number(key);
  return decide(control, found && *found > 0 && *found <= most,
                key + " " + report.value(key).value_or("unreadable"));
}

// Version 2 counts swap alone, version 1 memory and swap together.
Reading swap(const SelfReport& report, const policy::Spec& spec) {
  if (report.value("cgroup.swap")) {
    return decide(Control::swap, report.number("cgroup.swap") == std::uint64_t{0},
                  "cgroup.swap " + *report.value("cgroup.swap"));
  }
  return at_most(Control::swap, report, "cgroup.memsw", spec.limits.memory_bytes);
}

Reading cpu(const SelfReport& report, const policy::Spec& spec) {
  std::string quota = report.value("cgroup.cpu_quota").value_or("");
  std::string period = report.value("cgroup.cpu_period").value_or("");
  const auto words = words_of(report.value("cgroup.cpu").value_or(""));
  if (words.size() == 2) {
    quota = words[0];
    period = words[1];
  }
  const auto used = parse_number(quota), of = parse_number(period);
  constexpr double kRounding = 0.005;  // engines round to whole microseconds of a period
  const bool holds =
      used && of && *of > 0 &&
      static_cast<double>(*used) / static_cast<double>(*of) <= spec.limits.cpus + kRounding;
  return decide(Control::cpu, holds,
                "quota " + (quota.empty() ? "unreadable" : quota + " of " + period));
}

const MountLine* mount_at(const SelfReport& report, const std::string& target) {
  const auto is_there = [&target](const MountLine& line) { return line.target == target; };
  const auto found = std::find_if(report.mounts.rbegin(), report.mounts.rend(), is_there);
  return found == report.mounts.rend() ? nullptr : &*found;
}

}  // namespace

std::vector<Reading> read_cgroup(const SelfReport& report, const policy::Spec& spec) {
  return {at_most(Control::memory, report, "cgroup.memory", spec.limits.memory_bytes),
          swap(report, spec), cpu(report, spec),
          at_most(Control::pids, report, "cgroup.pids", spec.limits.pids)};
}

Reading read_masks(const SelfReport& report,
                   const std::function<bool(const std::string&)>& exists) {
  const auto open = [](const std::string& path) {
    return Reading{Control::filesystem, EvidenceStatus::not_enforced, path + " is open", kReport};
  };
  for (const std::string& path : masked_paths()) {
    if (exists(path) && mount_at(report, path) == nullptr) return open(path);
  }
  for (const std::string& path : readonly_paths()) {
    const MountLine* const mount = mount_at(report, path);
    if (exists(path) && (mount == nullptr || !mount->has("ro"))) return open(path);
  }
  return {Control::filesystem, EvidenceStatus::enforced, "sensitive kernel files closed", kReport};
}

}  // namespace lazaret::backend::docker
