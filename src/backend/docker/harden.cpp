#include "backend/docker/harden.hpp"

#include <array>
#include <cmath>

#include <nlohmann/json.hpp>

#include "backend/docker/differences.hpp"

namespace lazaret::backend::docker {
namespace {

using nlohmann::json;

constexpr const char* kUser = "65534:65534";
constexpr int kOomScore = 500;  // the kernel should end a box before anything of the host
// Counted for the uid across the whole machine (P-51), so it only has to be low enough for an
// engine that may not raise its own; PidsLimit is what bounds a box.
constexpr std::uint64_t kPodmanTasks = 4096;
constexpr std::uint64_t kBlockBytes = 4096;

// A writable directory of the box.
struct Scratch {
  const char* suffix;  // of the volume's name
  const char* target;
  const char* owner;  // options that say whose it is
  const char* execute;
};
// The owner is always named: Podman gives a volume without one the owner and mode that the image
// has at that path.
constexpr std::array kScratch = {
    Scratch{"-work", "/work", "mode=0700,uid=65534,gid=65534", "exec"},
    Scratch{"-tmp", "/tmp", "mode=1777,uid=0,gid=0", "exec"},
    Scratch{"-shm", "/dev/shm", "mode=1777,uid=0,gid=0", "noexec"},
};

std::string tmpfs_options(const Scratch& scratch, const Limits& limits) {
  return std::string("rw,nosuid,nodev,") + scratch.execute +
         ",size=" + std::to_string(limits.disk_bytes) +
         ",nr_inodes=" + std::to_string(limits.disk_files) + "," + scratch.owner;
}

// WHY: nr_blocks and not size, which Podman takes for a project quota of the volume's directory.
std::string volume_options(const Scratch& scratch, const Limits& limits) {
  return std::string("nosuid,nodev,") + scratch.execute +
         ",nr_blocks=" + std::to_string(limits.disk_bytes / kBlockBytes) +
         ",nr_inodes=" + std::to_string(limits.disk_files) + "," + scratch.owner;
}

json ulimit(const char* name, std::uint64_t value) {
  return {{"Name", name}, {"Soft", value}, {"Hard", value}};
}

json ulimits(const Hardening& hardening) {
  const Limits& limits = hardening.spec.limits;
  json list = json::array(
      {ulimit("nofile", limits.open_files), ulimit("fsize", limits.file_bytes), ulimit("core", 0)});
  if (differences_of(hardening.kind).needs_nproc) list.push_back(ulimit("nproc", kPodmanTasks));
  return list;
}

json tmpfs(const Hardening& hardening) {
  json map = json::object();
  const Differences& differences = differences_of(hardening.kind);
  if (!differences.scratch_by_volume) {
    for (const Scratch& scratch : kScratch) {
      map[scratch.target] = tmpfs_options(scratch, hardening.spec.limits);
    }
  }
  if (differences.adds_tmpfs) {
    for (const char* const target : {"/run", "/var/tmp"}) {
      map[target] = "ro,noexec,nosuid,nodev,size=4k,mode=0555";
    }
  }
  return map;
}

json volume_mount(const std::string& name, const std::string& target, bool read_only) {
  return {{"Type", "volume"},
          {"Source", name},
          {"Target", target},
          {"ReadOnly", read_only},
          {"VolumeOptions", {{"NoCopy", true}}}};
}

json mounts(const Hardening& hardening) {
  json list = json::array({volume_mount(hardening.runner_volume, kRunnerDirectory, true)});
  for (const ScratchVolume& volume : scratch_volumes(hardening)) {
    list.push_back(volume_mount(volume.name, volume.target, false));
  }
  return list;
}

void add_limits(json& host, const Hardening& hardening) {
  const Limits& limits = hardening.spec.limits;
  host["Memory"] = limits.memory_bytes;
  host["MemorySwap"] = limits.memory_bytes;
  host["NanoCpus"] = std::llround(limits.cpus * 1e9);
  host["PidsLimit"] = limits.pids;
  host["Ulimits"] = ulimits(hardening);
  host["ShmSize"] = limits.disk_bytes;
  if (differences_of(hardening.kind).takes_oom_score) host["OomScoreAdj"] = kOomScore;
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
  add_limits(host, hardening);
  return host;
}

}  // namespace

std::vector<ScratchVolume> scratch_volumes(const Hardening& hardening) {
  std::vector<ScratchVolume> volumes;
  if (!differences_of(hardening.kind).scratch_by_volume) return volumes;
  for (const Scratch& scratch : kScratch) {
    volumes.push_back({hardening.name + scratch.suffix,
                       scratch.target,
                       {{"type", "tmpfs"},
                        {"device", "tmpfs"},
                        {"o", volume_options(scratch, hardening.spec.limits)}}});
  }
  return volumes;
}

json harden(const Hardening& hardening) {
  return {
      {"Image", hardening.spec.image},
      {"Entrypoint", {kRunnerPath}},
      {"Cmd", json::array()},
      {"User", kUser},
      {"Hostname", "lazaret"},
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
      {"NetworkDisabled", true},
      {"HostConfig", host_config(hardening)},
  };
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
