#include "backend/docker/compare.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <nlohmann/json.hpp>

#include "backend/docker/differences.hpp"
#include "base/utf8.hpp"

namespace lazaret::backend::docker {
namespace {

using nlohmann::json;

constexpr const char* kSource = "engine inspect";
constexpr std::size_t kShownBytes = 120;

const json& at(const json& object, const char* pointer) {
  static const json nothing;
  const json::json_pointer path(pointer);
  return object.contains(path) ? object.at(path) : nothing;
}

bool is_empty(const json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().empty();
  if (value.is_array() || value.is_object()) return value.empty();
  return value.is_null() || value == false || value == 0;
}

std::string shown(const json& value) {
  const std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() <= kShownBytes ? text : text.substr(0, kShownBytes) + "...";
}

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

// How a field that was sent is looked for in what inspect shows.
using Same = bool (*)(const json& sent, const json& seen);

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

bool same_seccomp(const json& sent, const json& seen) {
  const auto found = texts(seen);
  for (const std::string& option : texts(sent)) {
    if (option.rfind("seccomp=", 0) == 0) return has(found, option);
  }
  return false;
}

// Podman adds options of its own, such as rprivate.
bool tmpfs_covers(const json& sent, const json& seen) {
  if (!sent.is_object() || !seen.is_object() || sent.size() != seen.size()) return false;
  for (const auto& [target, options] : sent.items()) {
    const json& found = seen.contains(target) ? seen.at(target) : json();
    if (!found.is_string() || !options.is_string()) return false;
    if (found.get<std::string>().rfind(options.get<std::string>(), 0) != 0) return false;
  }
  return true;
}

bool restarts_never(const json&, const json& seen) { return is_empty(seen) || seen == "no"; }

// As many as our mounts: they are how Podman shows them.
bool as_many(const json& sent, const json& seen) {
  return seen.is_array() && seen.size() == sent.size();
}

enum class Where { both, docker, podman };

struct Row {
  Control control;
  const char* sent;
  const char* seen;
  Same same;
  Where where = Where::both;
};

constexpr std::array kRows = {
    Row{Control::privileges, "/User", "/Config/User", equal},
    Row{Control::hostname, "/Hostname", "/Config/Hostname", equal},
    Row{Control::processes, "/Entrypoint", "/Config/Entrypoint", equal},
    Row{Control::processes, "/Cmd", "/Config/Cmd", equal_or_empty},
    Row{Control::processes, "/Tty", "/Config/Tty", equal_or_empty},
    Row{Control::network, "/NetworkDisabled", "/Config/NetworkDisabled", equal, Where::docker},
    Row{Control::network, "/HostConfig/NetworkMode", "/HostConfig/NetworkMode", equal},
    Row{Control::filesystem, "/HostConfig/ReadonlyRootfs", "/HostConfig/ReadonlyRootfs", equal},
    Row{Control::privileges, "/HostConfig/Privileged", "/HostConfig/Privileged", equal_or_empty},
    Row{Control::privileges, "/HostConfig/CapDrop", "/HostConfig/CapDrop", equal, Where::docker},
    Row{Control::privileges, "/HostConfig/CapDrop", "/HostConfig/CapDrop", drops_defaults,
        Where::podman},
    Row{Control::privileges, "/HostConfig/SecurityOpt", "/HostConfig/SecurityOpt",
        no_new_privileges},
    Row{Control::privileges, "/HostConfig/SecurityOpt", "/HostConfig/SecurityOpt", same_set,
        Where::docker},
    Row{Control::syscalls, "/HostConfig/SecurityOpt", "/HostConfig/SecurityOpt", same_seccomp},
    Row{Control::memory, "/HostConfig/Memory", "/HostConfig/Memory", equal},
    Row{Control::swap, "/HostConfig/MemorySwap", "/HostConfig/MemorySwap", equal},
    Row{Control::cpu, "/HostConfig/NanoCpus", "/HostConfig/NanoCpus", equal},
    Row{Control::pids, "/HostConfig/PidsLimit", "/HostConfig/PidsLimit", equal},
    Row{Control::memory, "/HostConfig/OomScoreAdj", "/HostConfig/OomScoreAdj", equal,
        Where::docker},
    Row{Control::ipc, "/HostConfig/IpcMode", "/HostConfig/IpcMode", equal, Where::docker},
    Row{Control::ipc, "/HostConfig/IpcMode", "/HostConfig/IpcMode", private_or_shareable,
        Where::podman},
    Row{Control::cgroup_view, "/HostConfig/CgroupnsMode", "/HostConfig/CgroupnsMode", equal,
        Where::docker},
    Row{Control::processes, "/HostConfig/PidMode", "/HostConfig/PidMode", private_or_empty},
    Row{Control::hostname, "/HostConfig/UTSMode", "/HostConfig/UTSMode", private_or_empty},
    Row{Control::disk, "/HostConfig/Tmpfs", "/HostConfig/Tmpfs", equal, Where::docker},
    Row{Control::filesystem, "/HostConfig/Tmpfs", "/HostConfig/Tmpfs", tmpfs_covers, Where::podman},
    Row{Control::disk, "/HostConfig/ShmSize", "/HostConfig/ShmSize", equal},
    Row{Control::filesystem, "/HostConfig/Mounts", "/HostConfig/Mounts", equal, Where::docker},
    Row{Control::filesystem, "/HostConfig/Binds", "/HostConfig/Binds", equal_or_empty,
        Where::docker},
    Row{Control::filesystem, "/HostConfig/Mounts", "/HostConfig/Binds", as_many, Where::podman},
    Row{Control::filesystem, "/HostConfig/MaskedPaths", "/HostConfig/MaskedPaths", same_set,
        Where::docker},
    Row{Control::filesystem, "/HostConfig/ReadonlyPaths", "/HostConfig/ReadonlyPaths", same_set,
        Where::docker},
    Row{Control::disk, "/HostConfig/LogConfig/Type", "/HostConfig/LogConfig/Type", equal},
    Row{Control::timeout, "/HostConfig/AutoRemove", "/HostConfig/AutoRemove", equal_or_empty},
    Row{Control::timeout, "/HostConfig/RestartPolicy/Name", "/HostConfig/RestartPolicy/Name",
        restarts_never},
    Row{Control::processes, "/HostConfig/Init", "/HostConfig/Init", equal_or_empty, Where::docker},
};

// Never sent, and loosening where an engine or somebody between us and it has put them in.
struct Empty {
  Control control;
  const char* seen;
};
constexpr std::array kEmpty = {
    Empty{Control::privileges, "/HostConfig/CapAdd"},
    Empty{Control::privileges, "/HostConfig/GroupAdd"},
    Empty{Control::privileges, "/HostConfig/UsernsMode"},
    Empty{Control::privileges, "/HostConfig/Sysctls"},
    Empty{Control::filesystem, "/HostConfig/VolumesFrom"},
    Empty{Control::filesystem, "/HostConfig/Devices"},
    Empty{Control::filesystem, "/HostConfig/DeviceRequests"},
    Empty{Control::filesystem, "/HostConfig/DeviceCgroupRules"},
    Empty{Control::network, "/HostConfig/PortBindings"},
    Empty{Control::network, "/HostConfig/Links"},
    Empty{Control::memory, "/HostConfig/OomKillDisable"},
};

Reading reading(Control control, const char* field, bool holds, const json& seen) {
  if (holds) return {control, EvidenceStatus::enforced, "", kSource};
  return {control, EvidenceStatus::not_enforced,
          std::string(field + 1) + " is " + shown(seen) + ", which was not asked for", kSource};
}

bool applies(const Row& row, engine::Kind kind) {
  return row.where == Where::both || (row.where == Where::docker) == (kind == engine::Kind::docker);
}

void compare_rows(const Comparison& comparison, std::vector<Reading>& readings) {
  for (const Row& row : kRows) {
    if (!applies(row, comparison.kind)) continue;
    const json& seen = at(comparison.seen, row.seen);
    const bool same = row.same(at(comparison.sent, row.sent), seen);
    readings.push_back(reading(row.control, row.seen, same, seen));
  }
  for (const Empty& row : kEmpty) {
    const json& seen = at(comparison.seen, row.seen);
    readings.push_back(reading(row.control, row.seen, is_empty(seen), seen));
  }
}

// "nofile" of Docker is "RLIMIT_NOFILE" of Podman.
std::string plain_limit_name(std::string name) {
  constexpr std::string_view kPrefix = "RLIMIT_";
  if (name.rfind(kPrefix, 0) == 0) name.erase(0, kPrefix.size());
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return name;
}

std::string limit_name(const json& limit) {
  const json& name = at(limit, "/Name");
  return name.is_string() ? plain_limit_name(name.get<std::string>()) : "";
}

bool has_limit(const json& list, const json& wanted) {
  if (!list.is_array()) return false;
  return std::any_of(list.begin(), list.end(), [&wanted](const json& limit) {
    return limit_name(limit) == limit_name(wanted) && at(limit, "/Soft") == wanted.at("Soft") &&
           at(limit, "/Hard") == wanted.at("Hard");
  });
}

Control control_of_limit(const std::string& name) {
  if (name == "nofile") return Control::open_files;
  if (name == "fsize") return Control::file_size;
  return name == "core" ? Control::core_dumps : Control::pids;
}

void compare_limits(const Comparison& comparison, std::vector<Reading>& readings) {
  constexpr const char* kField = "/HostConfig/Ulimits";
  const json& seen = at(comparison.seen, kField);
  for (const json& limit : at(comparison.sent, kField)) {
    const Control control = control_of_limit(limit_name(limit));
    readings.push_back(reading(control, kField, has_limit(seen, limit), seen));
  }
}

bool is_asked(const json& mount, const json& asked) {
  return std::any_of(asked.begin(), asked.end(), [&mount](const json& wanted) {
    return at(mount, "/Type") == wanted.at("Type") && at(mount, "/Name") == wanted.at("Source") &&
           at(mount, "/Destination") == wanted.at("Target") &&
           at(mount, "/RW") == !wanted.at("ReadOnly").get<bool>();
  });
}

// What is really mounted: ours, all of it, and no volume that the image declares.
void compare_mounts(const Comparison& comparison, std::vector<Reading>& readings) {
  const json& seen = at(comparison.seen, "/Mounts");
  const json& asked = at(comparison.sent, "/HostConfig/Mounts");
  const bool same = seen.is_array() && seen.size() == asked.size() &&
                    std::all_of(seen.begin(), seen.end(),
                                [&asked](const json& mount) { return is_asked(mount, asked); });
  readings.push_back(reading(Control::filesystem, "/Mounts", same, seen));
  readings.push_back(reading(Control::disk, "/Mounts", same, seen));
}

std::vector<Control> controls_in(const std::string& warning) {
  const auto mentions = [&warning](const char* word) { return warning.find(word) != warning.npos; };
  if (mentions("swap")) return {Control::swap};
  if (mentions("pids") || mentions("PIDs")) return {Control::pids};
  if (mentions("CPU") || mentions("cpu")) return {Control::cpu};
  if (mentions("emory")) return {Control::memory};
  return {Control::memory, Control::swap, Control::cpu, Control::pids};
}

}  // namespace

std::vector<Reading> compare(const Comparison& comparison) {
  std::vector<Reading> readings;
  compare_rows(comparison, readings);
  compare_limits(comparison, readings);
  compare_mounts(comparison, readings);
  readings.push_back(read_networks(comparison.seen));
  return readings;
}

std::vector<Reading> read_warnings(const std::vector<std::string>& warnings) {
  std::vector<Reading> readings;
  for (const std::string& warning : warnings) {
    // WHY: by its text, as there is nothing else; both words stand in all such warnings of Docker.
    const bool discarded =
        warning.find("iscarded") != warning.npos || warning.find("not support") != warning.npos;
    if (!discarded) continue;
    const std::string valid = to_utf8(warning.substr(0, kShownBytes));
    for (const Control control : controls_in(warning)) {
      readings.push_back({control, EvidenceStatus::not_enforced, valid, "engine warning"});
    }
  }
  return readings;
}

Reading read_networks(const json& seen) {
  const json& networks = at(seen, "/NetworkSettings/Networks");
  bool bare = is_empty(at(seen, "/NetworkSettings/IPAddress")) &&
              is_empty(at(seen, "/NetworkSettings/GlobalIPv6Address"));
  if (networks.is_object()) {
    for (const json& network : networks) {
      bare = bare && is_empty(at(network, "/IPAddress")) &&
             is_empty(at(network, "/GlobalIPv6Address"));
    }
  }
  return reading(Control::network, "/NetworkSettings/Networks", bare, networks);
}

Status require_so_far(const std::vector<Reading>& readings, const policy::Spec& spec) {
  policy::Spec narrowed = spec;
  narrowed.required.clear();
  for (const Reading& piece : readings) {
    if (spec.required.contains(piece.control)) narrowed.required.insert(piece.control);
  }
  return require(judge(readings, narrowed), narrowed);
}

}  // namespace lazaret::backend::docker
