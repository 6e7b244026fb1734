#include "backend/docker/harden_podman.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "backend/docker/scratch.hpp"

namespace lazaret::backend::docker {
namespace {

using nlohmann::json;

// Without one Podman asks for 1048576, which needs CAP_SYS_RESOURCE. Counted for the uid across the
// whole machine (P-51), so it is low enough for an engine that may not raise its own; the limit on
// pids is what bounds a box.
constexpr std::uint64_t kTasks = 4096;
constexpr int kSigKill = 9;
constexpr std::int64_t kPeriodMicros = 100'000;

json limit(const char* type, std::uint64_t value) {
  return {{"type", type}, {"soft", value}, {"hard", value}};
}

json process_limits(const Limits& limits) {
  return json::array({limit("nofile", limits.open_files), limit("fsize", limits.file_bytes),
                      limit("core", 0), limit("nproc", kTasks)});
}

json cgroup_limits(const Limits& limits) {
  const auto quota = std::llround(limits.cpus * static_cast<double>(kPeriodMicros));
  return {{"memory", {{"limit", limits.memory_bytes}, {"swap", limits.memory_bytes}}},
          {"cpu", {{"quota", quota}, {"period", kPeriodMicros}}},
          {"pids", {{"limit", limits.pids}}}};
}

json shared_volume(const std::string& name, std::string_view target) {
  return {{"Name", name}, {"Dest", target}, {"Options", {"ro", "nocopy"}}};
}

json volumes(const Hardening& hardening) {
  json list = json::array({shared_volume(hardening.runner_volume, kRunnerDirectory)});
  if (!hardening.packages_volume.empty())
    list.push_back(shared_volume(hardening.packages_volume, policy::kPackages));
  for (const ScratchVolume& scratch : scratch_volumes(hardening.name, hardening.spec.limits)) {
    list.push_back({{"Name", scratch.name},
                    {"Dest", scratch.target},
                    {"Options", {"rw", "nocopy", scratch.execute}}});
  }
  return list;
}

void add_namespaces(json& body) {
  body["netns"] = {{"nsmode", "none"}};
  for (const char* const name : {"ipcns", "pidns", "utsns", "cgroupns"}) {
    body[name] = {{"nsmode", "private"}};
  }
}

void add_program(json& body, const Hardening& hardening) {
  body["image"] = hardening.spec.image;
  body["entrypoint"] = {kRunnerPath};
  body["command"] = runner_arguments(hardening.spec);
  body["user"] = kBoxUser;
  body["hostname"] = kBoxHostname;
  body["work_dir"] = "/";
  body["env"] = json::object();
  body["stdin"] = true;
  body["terminal"] = false;
  body["init"] = false;
  body["systemd"] = "false";
  body["sdnotifyMode"] = "ignore";
  body["stop_signal"] = kSigKill;
  body["healthconfig"] = {{"Test", {"NONE"}}};  // an image's own would run in the box at any time
}

}  // namespace

json harden_podman(const Hardening& hardening) {
  json body = {
      {"name", hardening.name},
      {"labels", labels_of(hardening.instance, hardening.name)},
      {"read_only_filesystem", true},
      {"read_write_tmpfs", false},  // it would come with executable ones on /run and /var/tmp
      {"image_volume_mode", "ignore"},
      {"privileged", false},
      {"cap_drop", {"ALL"}},
      {"no_new_privileges", true},
      {"seccomp_profile_path", hardening.seccomp},
      {"mask", masked_paths()},
      {"resource_limits", cgroup_limits(hardening.spec.limits)},
      {"r_limits", process_limits(hardening.spec.limits)},
      {"shm_size", hardening.spec.limits.disk_bytes},
      {"volumes", volumes(hardening)},
      {"log_configuration", {{"driver", "none"}}},
      {"remove", false},
      {"restart_policy", "no"},
      {"env_host", false},
      {"httpproxy", false},
  };
  add_namespaces(body);
  add_program(body, hardening);
  return body;
}

}  // namespace lazaret::backend::docker
