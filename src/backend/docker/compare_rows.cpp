#include "backend/docker/compare_rows.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace lazaret::backend::docker {
namespace {

using nlohmann::json;

std::vector<std::string> texts(const json& list) {
  std::vector<std::string> result;
  if (!list.is_array()) return result;
  for (const json& item : list) {
    if (item.is_string()) result.push_back(item.get<std::string>());
  }
  return result;
}

bool has(const std::vector<std::string>& list, std::string_view wanted) {
  return std::find(list.begin(), list.end(), wanted) != list.end();
}

bool equal(const json& sent, const json& seen) { return sent == seen; }
bool equal_or_empty(const json& sent, const json& seen) {
  return sent == seen || (is_empty(sent) && is_empty(seen));
}
bool same_set(const json& sent, const json& seen) {
  const auto wanted = texts(sent), found = texts(seen);
  return !wanted.empty() &&
         std::set(wanted.begin(), wanted.end()) == std::set(found.begin(), found.end());
}
bool private_or_empty(const json&, const json& seen) { return is_empty(seen) || seen == "private"; }
bool private_or_shareable(const json&, const json& seen) {
  return seen == "private" || seen == "shareable";  // Podman's word for one's own
}

// Podman lists what it would have given and has not.
bool drops_defaults(const json&, const json& seen) {
  constexpr std::array kDefaults = {"CHOWN",   "DAC_OVERRIDE",     "FOWNER",    "FSETID",
                                    "KILL",    "NET_BIND_SERVICE", "SETFCAP",   "SETGID",
                                    "SETPCAP", "SETUID",           "SYS_CHROOT"};
  const auto found = texts(seen);
  if (has(found, "ALL") || has(found, "CAP_ALL")) return true;
  return std::all_of(kDefaults.begin(), kDefaults.end(), [&found](const char* name) {
    return has(found, name) || has(found, std::string("CAP_") + name);
  });
}

bool no_new_privileges(const json&, const json& seen) {
  const auto found = texts(seen);
  return has(found, "no-new-privileges") || has(found, "no-new-privileges:true") ||
         has(found, "no-new-privileges=true");
}

// Podman does not show which filter it was given; the runner's report tries it (read_report).
bool hardened_alone(const json& sent, const json& seen) {
  const auto found = texts(seen);
  const auto loosens = [](const std::string& option) {
    return option.find("unconfined") != option.npos || option.find("disable") != option.npos ||
           option.rfind("unmask", 0) == 0;
  };
  return no_new_privileges(sent, seen) && std::none_of(found.begin(), found.end(), loosens);
}

// Up to 5.8 one text, later a list.
bool same_words(const json& sent, const json& seen) {
  std::string joined;
  for (const std::string& word : texts(sent)) joined += (joined.empty() ? "" : " ") + word;
  return sent == seen || seen == joined;
}

// What Podman takes for itself where nothing is asked for.
bool usual_parent(const json&, const json& seen) {
  return is_empty(seen) || seen == "machine.slice" || seen == "user.slice" ||
         seen == "/libpod_parent";
}

bool same_seccomp(const json& sent, const json& seen) {
  const auto found = texts(seen);
  for (const std::string& option : texts(sent)) {
    if (option.rfind("seccomp=", 0) == 0) return has(found, option);
  }
  return false;
}

bool restarts_never(const json&, const json& seen) { return is_empty(seen) || seen == "no"; }

// An image's own stand beside ours, which alone say of a box that was left behind whose it is.
bool carries(const json& sent, const json& seen) {
  for (const auto& [name, value] : sent.items()) {
    const auto found = seen.find(name);
    if (found == seen.end() || *found != value) return false;
  }
  return true;
}

// As many as our mounts: they are how Podman shows them.
bool as_many(const json& sent, const json& seen) {
  return seen.is_array() && seen.size() == sent.size();
}

constexpr std::array kDockerRows = {
    Row{Control::privileges, "/User", "/Config/User", equal},
    Row{Control::hostname, "/Hostname", "/Config/Hostname", equal},
    Row{Control::processes, "/Entrypoint", "/Config/Entrypoint", equal},
    Row{Control::processes, "/Cmd", "/Config/Cmd", equal_or_empty},
    Row{Control::processes, "/Tty", "/Config/Tty", equal_or_empty},
    Row{Control::processes, "/Healthcheck/Test", "/Config/Healthcheck/Test", equal},
    Row{Control::network, "/NetworkDisabled", "/Config/NetworkDisabled", equal},
    Row{Control::network, "/HostConfig/NetworkMode", "/HostConfig/NetworkMode", equal},
    Row{Control::filesystem, "/HostConfig/ReadonlyRootfs", "/HostConfig/ReadonlyRootfs", equal},
    Row{Control::privileges, "/HostConfig/Privileged", "/HostConfig/Privileged", equal_or_empty},
    Row{Control::privileges, "/HostConfig/CapDrop", "/HostConfig/CapDrop", equal},
    Row{Control::privileges, "/HostConfig/SecurityOpt", "/HostConfig/SecurityOpt",
        no_new_privileges},
    Row{Control::privileges, "/HostConfig/SecurityOpt", "/HostConfig/SecurityOpt", same_set},
    Row{Control::syscalls, "/HostConfig/SecurityOpt", "/HostConfig/SecurityOpt", same_seccomp},
    Row{Control::memory, "/HostConfig/Memory", "/HostConfig/Memory", equal},
    Row{Control::swap, "/HostConfig/MemorySwap", "/HostConfig/MemorySwap", equal},
    Row{Control::cpu, "/HostConfig/NanoCpus", "/HostConfig/NanoCpus", equal},
    Row{Control::pids, "/HostConfig/PidsLimit", "/HostConfig/PidsLimit", equal},
    Row{Control::memory, "/HostConfig/OomScoreAdj", "/HostConfig/OomScoreAdj", equal},
    Row{Control::ipc, "/HostConfig/IpcMode", "/HostConfig/IpcMode", equal},
    Row{Control::cgroup_view, "/HostConfig/CgroupnsMode", "/HostConfig/CgroupnsMode", equal},
    Row{Control::processes, "/HostConfig/PidMode", "/HostConfig/PidMode", private_or_empty},
    Row{Control::hostname, "/HostConfig/UTSMode", "/HostConfig/UTSMode", private_or_empty},
    Row{Control::disk, "/HostConfig/Tmpfs", "/HostConfig/Tmpfs", equal},
    Row{Control::disk, "/HostConfig/ShmSize", "/HostConfig/ShmSize", equal},
    Row{Control::filesystem, "/HostConfig/Mounts", "/HostConfig/Mounts", equal},
    Row{Control::filesystem, "/HostConfig/Binds", "/HostConfig/Binds", equal_or_empty},
    Row{Control::filesystem, "/HostConfig/MaskedPaths", "/HostConfig/MaskedPaths", same_set},
    Row{Control::filesystem, "/HostConfig/ReadonlyPaths", "/HostConfig/ReadonlyPaths", same_set},
    Row{Control::disk, "/HostConfig/LogConfig/Type", "/HostConfig/LogConfig/Type", equal},
    Row{Control::timeout, "/Labels", "/Config/Labels", carries},
    Row{Control::timeout, "/HostConfig/AutoRemove", "/HostConfig/AutoRemove", equal_or_empty},
    Row{Control::timeout, "/HostConfig/RestartPolicy/Name", "/HostConfig/RestartPolicy/Name",
        restarts_never},
    Row{Control::processes, "/HostConfig/Init", "/HostConfig/Init", equal_or_empty},
    Row{Control::memory, "/HostConfig/CgroupParent", "/HostConfig/CgroupParent", equal_or_empty},
};

constexpr std::array kPodmanRows = {
    Row{Control::privileges, "/user", "/Config/User", equal},
    Row{Control::hostname, "/hostname", "/Config/Hostname", equal},
    Row{Control::processes, "/entrypoint", "/Config/Entrypoint", same_words},
    Row{Control::processes, "/command", "/Config/Cmd", equal_or_empty},
    Row{Control::processes, "/terminal", "/Config/Tty", equal_or_empty},
    Row{Control::processes, "/healthconfig/Test", "/Config/Healthcheck/Test", equal},
    Row{Control::network, "/netns/nsmode", "/HostConfig/NetworkMode", equal},
    Row{Control::filesystem, "/read_only_filesystem", "/HostConfig/ReadonlyRootfs", equal},
    Row{Control::privileges, "/privileged", "/HostConfig/Privileged", equal_or_empty},
    Row{Control::privileges, "/cap_drop", "/HostConfig/CapDrop", drops_defaults},
    Row{Control::privileges, "/no_new_privileges", "/HostConfig/SecurityOpt", no_new_privileges},
    Row{Control::syscalls, "/seccomp_profile_path", "/HostConfig/SecurityOpt", hardened_alone},
    Row{Control::memory, "/resource_limits/memory/limit", "/HostConfig/Memory", equal},
    Row{Control::swap, "/resource_limits/memory/swap", "/HostConfig/MemorySwap", equal},
    Row{Control::cpu, "/resource_limits/cpu/quota", "/HostConfig/CpuQuota", equal},
    Row{Control::cpu, "/resource_limits/cpu/period", "/HostConfig/CpuPeriod", equal},
    Row{Control::pids, "/resource_limits/pids/limit", "/HostConfig/PidsLimit", equal},
    Row{Control::memory, "/cgroup_parent", "/HostConfig/CgroupParent", usual_parent},
    Row{Control::ipc, "/ipcns/nsmode", "/HostConfig/IpcMode", private_or_shareable},
    Row{Control::cgroup_view, "/cgroupns/nsmode", "/HostConfig/CgroupMode", equal},
    Row{Control::processes, "/pidns/nsmode", "/HostConfig/PidMode", private_or_empty},
    Row{Control::hostname, "/utsns/nsmode", "/HostConfig/UTSMode", private_or_empty},
    Row{Control::disk, "/shm_size", "/HostConfig/ShmSize", equal},
    Row{Control::filesystem, "/mounts", "/HostConfig/Tmpfs", equal_or_empty},
    Row{Control::filesystem, "/volumes", "/HostConfig/Binds", as_many},
    Row{Control::disk, "/log_configuration/driver", "/HostConfig/LogConfig/Type", equal},
    Row{Control::timeout, "/labels", "/Config/Labels", carries},
    Row{Control::timeout, "/remove", "/HostConfig/AutoRemove", equal_or_empty},
    Row{Control::timeout, "/restart_policy", "/HostConfig/RestartPolicy/Name", restarts_never},
};

constexpr std::array kUnasked = {
    Unasked{Control::privileges, "/HostConfig/CapAdd"},
    Unasked{Control::privileges, "/HostConfig/GroupAdd"},
    Unasked{Control::privileges, "/HostConfig/UsernsMode"},
    Unasked{Control::privileges, "/HostConfig/Sysctls"},
    Unasked{Control::filesystem, "/HostConfig/VolumesFrom"},
    Unasked{Control::filesystem, "/HostConfig/Devices"},
    Unasked{Control::filesystem, "/HostConfig/DeviceRequests"},
    Unasked{Control::filesystem, "/HostConfig/DeviceCgroupRules"},
    Unasked{Control::network, "/HostConfig/PortBindings"},
    Unasked{Control::network, "/HostConfig/Links"},
    Unasked{Control::memory, "/HostConfig/OomKillDisable"},
    Unasked{Control::privileges, "/EffectiveCaps"},  // shown by Podman
    Unasked{Control::privileges, "/BoundingCaps"},
};

}  // namespace

bool is_empty(const json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().empty();
  if (value.is_array() || value.is_object()) return value.empty();
  return value.is_null() || value == false || value == 0;
}

std::span<const Row> rows_of(engine::Kind kind) noexcept {
  if (kind == engine::Kind::docker) return kDockerRows;
  return kPodmanRows;
}

std::span<const Unasked> unasked_fields() noexcept { return kUnasked; }

}  // namespace lazaret::backend::docker
