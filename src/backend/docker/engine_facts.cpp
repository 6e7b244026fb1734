#include "backend/docker/engine_facts.hpp"

#include <string>
#include <utility>

#include "engine/failure.hpp"

namespace lazaret::backend::docker {
namespace {

constexpr std::size_t kMostFacts = 20;  // an engine may warn without end

HostFact there(const char* name, const std::string& note) {
  return {name, Presence::there, engine::one_line(note), ""};
}

HostFact host(const engine::system::Info& info) {
  return there("Engine's host", info.operating_system + ", Linux " + info.kernel_version + " on " +
                                    info.architecture + ", storage " + info.storage_driver);
}

HostFact user(const engine::system::Info& info) {
  const char* const boxes = info.user_namespaces ? ", in user namespaces" : "";
  return there("Engine's user",
               (info.rootless ? "an ordinary one (rootless)" : "root") + std::string(boxes));
}

HostFact cgroups(const engine::system::Info& info) {
  if (info.cgroup_version.empty())
    return {"Cgroups", Presence::missing, "the engine names no version of them",
            "an engine on a Linux host with cgroups"};
  return there("Cgroups", "version " + info.cgroup_version + ", driver " + info.cgroup_driver);
}

// Of rootless engines none holds without delegation by the service manager.
HostFact limits(const engine::system::Info& info) {
  const std::pair<const char*, bool> all[] = {{"memory", info.memory_limit},
                                              {"swap", info.swap_limit},
                                              {"processors", info.cpu_cfs_quota},
                                              {"tasks", info.pids_limit}};
  std::string has, lacks;
  for (const auto& [name, held] : all) {
    std::string& list = held ? has : lacks;
    list += (list.empty() ? "" : ", ") + std::string(name);
  }
  if (lacks.empty()) return there("Limits", "of " + has);
  return {"Limits", Presence::missing, "none of " + lacks,
          info.rootless ? "delegate the controllers to the engine's user: Delegate=yes in "
                          "user@.service"
                        : "boot the engine's host with cgroup v2, or with: cgroup_enable=memory "
                          "swapaccount=1"};
}

HostFact seccomp(const engine::system::Info& info) {
  if (!info.seccomp)
    return {"Seccomp", Presence::missing, "the engine has none",
            "an engine and a kernel that are built with it"};
  const std::string profile = info.seccomp_profile.empty() ? "unnamed" : info.seccomp_profile;
  return there("Seccomp", "available; its own profile, " + profile + ", is not used for boxes");
}

}  // namespace

std::vector<HostFact> facts_of(const engine::system::Info& info) {
  std::vector<HostFact> facts{host(info), user(info), cgroups(info), limits(info), seccomp(info)};
  for (const std::string& warning : info.warnings) {
    if (facts.size() == kMostFacts) break;
    if (!warning.empty()) facts.push_back(there("Engine's own warning", warning));
  }
  return facts;
}

}  // namespace lazaret::backend::docker
