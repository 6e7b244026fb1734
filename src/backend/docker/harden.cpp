#include "backend/docker/harden.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "backend/docker/scratch.hpp"
#include "policy/packages.hpp"
#include "runner/message.hpp"

namespace lazaret::backend::docker {
namespace {

using nlohmann::json;

constexpr int kCoverBytes = 4096, kCoverMode = 0555;
constexpr int kOomScore = 500;  // the kernel should end a box before anything of the host

json ulimit(const char* name, std::uint64_t value) {
  return {{"Name", name}, {"Soft", value}, {"Hard", value}};
}

json ulimits(const Limits& limits) {
  return json::array(
      {ulimit("nofile", limits.open_files), ulimit("fsize", limits.file_bytes), ulimit("core", 0)});
}

json tmpfs(const Hardening& hardening) {
  json map = json::object();
  for (const Scratch& scratch : kScratch) {
    map[scratch.target] = tmpfs_options(scratch, hardening.spec.limits);
  }
  return map;
}

json kept_volume(const std::string& name, std::string_view target) {
  return {{"Type", "volume"},
          {"Source", name},
          {"Target", target},
          {"ReadOnly", true},
          {"VolumeOptions", {{"NoCopy", true}}}};
}

// What an image declares as a volume Docker makes writable and without a bound, unless something is
// mounted there: nothing, in our case. A read-only volume would show what the image has there, but
// needs a name, and with it somebody who removes it.
json mounts(const Hardening& hardening) {
  json list = json::array({kept_volume(hardening.runner_volume, kRunnerDirectory)});
  if (!hardening.packages_volume.empty())
    list.push_back(kept_volume(hardening.packages_volume, policy::kPackages));
  for (const std::string& path : hardening.image_volumes) {
    list.push_back({{"Type", "tmpfs"},
                    {"Target", path},
                    {"ReadOnly", true},
                    {"TmpfsOptions", {{"SizeBytes", kCoverBytes}, {"Mode", kCoverMode}}}});
  }
  return list;
}

void add_limits(json& host, const Limits& limits) {
  host["Memory"] = limits.memory_bytes;
  host["MemorySwap"] = limits.memory_bytes;
  host["NanoCpus"] = std::llround(limits.cpus * 1e9);
  host["PidsLimit"] = limits.pids;
  host["Ulimits"] = ulimits(limits);
  host["ShmSize"] = limits.disk_bytes;
  host["OomScoreAdj"] = kOomScore;
}

json host_config(const Hardening& hardening) {
  json host = {
      {"NetworkMode", "none"},
      {"ReadonlyRootfs", true},
      {"Privileged", false},
      {"CapDrop", {"ALL"}},
      {"SecurityOpt", {"no-new-privileges:true", "seccomp=" + hardening.seccomp}},
      {"IpcMode", "private"},
      {"CgroupnsMode", "private"},
      {"Tmpfs", tmpfs(hardening)},
      {"Mounts", mounts(hardening)},
      {"MaskedPaths", masked_paths()},
      {"ReadonlyPaths", readonly_paths()},
      {"LogConfig", {{"Type", "none"}}},
      {"AutoRemove", false},
      {"RestartPolicy", {{"Name", "no"}}},
      {"Init", false},
  };
  add_limits(host, hardening.spec.limits);
  return host;
}

}  // namespace

json harden(const Hardening& hardening) {
  return {
      {"Image", hardening.spec.image},
      {"Entrypoint", {kRunnerPath}},
      {"Cmd", runner_arguments(hardening.spec)},
      {"User", kBoxUser},
      {"Hostname", kBoxHostname},
      {"WorkingDir", "/"},
      {"Env", json::array()},
      {"Labels", labels_of(hardening.instance, hardening.name)},
      {"OpenStdin", true},
      {"StdinOnce", true},
      {"AttachStdin", true},
      {"AttachStdout", true},
      {"AttachStderr", true},
      {"Tty", false},
      {"StopSignal", "SIGKILL"},
      {"Healthcheck", {{"Test", {"NONE"}}}},  // an image's own would run in the box at any time
      {"NetworkDisabled", true},
      {"HostConfig", host_config(hardening)},
  };
}

std::vector<std::string> runner_arguments(const policy::Spec& spec) {
  if (spec.subprocess == Subprocess::allow) return {};
  return {std::string(runner::kDenySubprocess)};
}

const std::vector<std::string>& masked_paths() {
  static const std::vector<std::string> paths = {
      "/proc/acpi",          "/proc/asound",     "/proc/cmdline",
      "/proc/config.gz",     "/proc/interrupts", "/proc/iomem",
      "/proc/ioports",       "/proc/kallsyms",   "/proc/kcore",
      "/proc/key-users",     "/proc/keys",       "/proc/kmsg",
      "/proc/kpagecgroup",   "/proc/kpagecount", "/proc/kpageflags",
      "/proc/latency_stats", "/proc/modules",    "/proc/sched_debug",
      "/proc/scsi",          "/proc/slabinfo",   "/proc/swaps",
      "/proc/sysrq-trigger", "/proc/timer_list", "/proc/timer_stats",
      "/proc/vmallocinfo",   "/sys/firmware",    "/sys/devices/virtual/powercap",
  };
  return paths;
}

const std::vector<std::string>& readonly_paths() {
  static const std::vector<std::string> paths = {"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys"};
  return paths;
}

}  // namespace lazaret::backend::docker
