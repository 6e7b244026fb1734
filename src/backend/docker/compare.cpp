#include "backend/docker/compare.hpp"

#include <algorithm>
#include <string_view>

#include <nlohmann/json.hpp>

#include "backend/docker/compare_rows.hpp"
#include "base/utf8.hpp"

namespace lazaret::backend::docker {
namespace {

using nlohmann::json;

constexpr const char* kInspect = "engine inspect";
constexpr std::size_t kShownBytes = 120;

const json& at(const json& object, const char* pointer) {
  static const json nothing;
  const json::json_pointer path(pointer);
  return object.contains(path) ? object.at(path) : nothing;
}

std::string shown(const json& value) {
  const std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() <= kShownBytes ? text : text.substr(0, kShownBytes) + "...";
}

Reading reading(Control control, const char* field, bool holds, const json& seen) {
  if (holds) return {control, EvidenceStatus::enforced, "", kInspect};
  return {control, EvidenceStatus::not_enforced,
          std::string(field + 1) + " is " + shown(seen) + ", which was not asked for", kInspect};
}

void compare_rows(const Comparison& comparison, std::vector<Reading>& readings) {
  for (const Row& row : rows_of(comparison.kind)) {
    const json& seen = at(comparison.seen, row.seen);
    const bool same = row.same(at(comparison.sent, row.sent), seen);
    readings.push_back(reading(row.control, row.seen, same, seen));
  }
  for (const Unasked& field : unasked_fields()) {
    const json& seen = at(comparison.seen, field.seen);
    readings.push_back(reading(field.control, field.seen, is_empty(seen), seen));
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

struct AskedLimit {
  std::string name;
  json soft;
  json hard;
};

std::vector<AskedLimit> asked_limits(const Comparison& comparison) {
  const bool docker = comparison.kind == engine::Kind::docker;
  const char* const name = docker ? "Name" : "type";
  std::vector<AskedLimit> limits;
  for (const json& limit : at(comparison.sent, docker ? "/HostConfig/Ulimits" : "/r_limits")) {
    limits.push_back({limit.at(name).get<std::string>(), limit.at(docker ? "Soft" : "soft"),
                      limit.at(docker ? "Hard" : "hard")});
  }
  return limits;
}

bool has_limit(const json& list, const AskedLimit& wanted) {
  if (!list.is_array()) return false;
  return std::any_of(list.begin(), list.end(), [&wanted](const json& limit) {
    return limit_name(limit) == wanted.name && at(limit, "/Soft") == wanted.soft &&
           at(limit, "/Hard") == wanted.hard;
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
  for (const AskedLimit& limit : asked_limits(comparison)) {
    readings.push_back(reading(control_of_limit(limit.name), kField, has_limit(seen, limit), seen));
  }
}

struct AskedMount {
  std::string type;
  std::string volume;  // empty for a tmpfs
  std::string target;
  bool writable;
};

std::vector<AskedMount> asked_mounts(const Comparison& comparison) {
  std::vector<AskedMount> mounts;
  if (comparison.kind == engine::Kind::docker) {
    for (const json& mount : at(comparison.sent, "/HostConfig/Mounts")) {
      mounts.push_back({mount.at("Type"), mount.value("Source", ""), mount.at("Target"),
                        !mount.at("ReadOnly").get<bool>()});
    }
    return mounts;
  }
  for (const json& volume : at(comparison.sent, "/volumes")) {
    mounts.push_back(
        {"volume", volume.at("Name"), volume.at("Dest"), volume.at("Options").at(0) == "rw"});
  }
  return mounts;
}

bool is_asked(const json& mount, const std::vector<AskedMount>& asked) {
  return std::any_of(asked.begin(), asked.end(), [&mount](const AskedMount& wanted) {
    return at(mount, "/Type") == wanted.type &&
           (wanted.volume.empty() || at(mount, "/Name") == wanted.volume) &&
           at(mount, "/Destination") == wanted.target && at(mount, "/RW") == wanted.writable;
  });
}

// What is really mounted: ours, all of it, and no volume that the image declares.
void compare_mounts(const Comparison& comparison, std::vector<Reading>& readings) {
  const json& seen = at(comparison.seen, "/Mounts");
  const std::vector<AskedMount> asked = asked_mounts(comparison);
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

std::vector<std::string> declared_volumes(const Comparison& comparison) {
  constexpr std::size_t kMost = 32;
  const std::vector<AskedMount> asked = asked_mounts(comparison);
  std::vector<std::string> paths;
  const json& seen = at(comparison.seen, "/Mounts");
  if (!seen.is_array()) return paths;
  for (const json& mount : seen) {
    const json& path = at(mount, "/Destination");
    const bool is_path = path.is_string() && path.get<std::string>().rfind('/', 0) == 0;
    if (at(mount, "/Type") != "volume" || !is_path || is_asked(mount, asked)) continue;
    if (paths.size() < kMost) paths.push_back(path.get<std::string>());
  }
  return paths;
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
