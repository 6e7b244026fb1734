#include <algorithm>
#include <array>

#include "backend/verdict.hpp"
#include "base/number.hpp"
#include "policy/packages.hpp"

// What the runner's report says about each control. One function a control, one table at the end.
namespace lazaret::backend {
namespace {

constexpr const char* kRunnerReport = "runner report";
constexpr int kEperm = 1, kEnoent = 2, kEacces = 13, kEinval = 22, kReadOnly = 30, kEnosys = 38,
              kNoFamily = 97, kNoRoute = 101;
constexpr std::uint64_t kTmpfs = 0x01021994;
constexpr std::uint64_t kPage = 4096;  // tmpfs rounds up to pages
constexpr std::string_view kBoxUid = "65534";

using Judgement = std::pair<EvidenceStatus, std::string>;

Judgement enforced(std::string text) { return {EvidenceStatus::enforced, std::move(text)}; }
Judgement missing(std::string text) { return {EvidenceStatus::not_enforced, std::move(text)}; }
Judgement decide(bool holds, std::string text) {
  return {holds ? EvidenceStatus::enforced : EvidenceStatus::not_enforced, std::move(text)};
}

std::string status_of(const SelfReport& report, const std::string& field) {
  return std::string(report.status.find(field).value_or(""));
}

Judgement network(const SelfReport& report, const policy::Spec& spec) {
  for (const std::string_view name : report.interfaces) {
    if (name != "lo") return missing("interface " + std::string(name) + " is there");
  }
  if (report.interfaces.empty()) return missing("interfaces could not be read");
  // Engines bring it up whatever is asked; nothing but the box itself is reached by it.
  const bool is_up = report.probe("loopback") == 0;
  if (spec.loopback == Loopback::up && !is_up) return missing("lo is down, which was to be up");
  if (report.probe("route") == kNoFamily) return enforced("lo only, no internet sockets");
  return decide(report.probe("route") == kNoRoute,
                is_up ? "lo only, up within the box, no route out" : "lo only, no route out");
}

// Writable, whoever the box's program is: ours alone, each by its own name.
struct Scratch {
  const char* target;
  const char* mode;  // as the kernel says it; it leaves out 1777
  bool executes;     // programs, where the profile has that
};
constexpr std::array kScratch = {Scratch{"/work", "700", true}, Scratch{"/tmp", "", true},
                                 Scratch{"/dev/shm", "", false}};

// tmpfs(5) says its size in kibibytes.
std::optional<std::uint64_t> bytes_in(std::string_view size) {
  constexpr std::uint64_t kKibi = 1024;
  if (size.empty() || size.back() != 'k') return std::nullopt;
  const auto number = parse_number(size.substr(0, size.size() - 1));
  if (!number || *number > UINT64_MAX / kKibi) return std::nullopt;
  return *number * kKibi;
}

bool is_strict(const policy::Spec& spec) { return spec.profile == Profile::strict; }

bool is_scratch(const MountLine& mount, const policy::Spec& spec) {
  const Limits& limits = spec.limits;
  if (is_strict(spec) && mount.target == "/tmp") return false;

  const auto same = [&](const Scratch& scratch) {
    return mount.target == scratch.target && mount.setting("mode").value_or("") == scratch.mode &&
           (mount.has("noexec") || (scratch.executes && !is_strict(spec)));
  };
  if (std::none_of(kScratch.begin(), kScratch.end(), same)) return false;
  const auto bytes = bytes_in(mount.setting("size").value_or(""));
  const auto files = parse_number(mount.setting("nr_inodes").value_or(""));
  return mount.has("nosuid") && mount.has("nodev") && bytes && *bytes > 0 &&
         *bytes <= limits.disk_bytes + kPage && files && *files > 0 && *files <= limits.disk_files;
}

// An engine's own tmpfs for /dev, for version 1 of cgroups and behind masks: root's, and for nobody
// else to write to.
bool is_of_root(const MountLine& mount) {
  return mount.setting("mode") == "755" && mount.setting("uid").value_or("0") != kBoxUid;
}

// What the caller has asked to be writable.
bool is_asked_for(const MountLine& mount, const policy::Spec& spec) {
  return std::any_of(spec.mounts.begin(), spec.mounts.end(), [&mount](const Mount& asked) {
    return asked.target == mount.target && asked.access == MountAccess::read_write;
  });
}

// The rest shows and keeps nothing of the host's.
bool may_be_writable(const MountLine& mount, const policy::Spec& spec) {
  if (is_asked_for(mount, spec)) return true;
  if (mount.type == "tmpfs") return is_scratch(mount, spec) || is_of_root(mount);
  return mount.type == "devpts" || mount.type == "mqueue" || mount.type == "proc";
}

// The last one is on top.
const MountLine* mounted_at(std::string_view target, const SelfReport& report) {
  const MountLine* found = nullptr;
  for (const MountLine& mount : report.mounts) {
    if (mount.target == target) found = &mount;
  }
  return found;
}

// Where packages are not one of the mounts: a volume of an engine's, which knows no nosuid for
// those. What is put into it is directories and plain files.
std::string wrong_with_packages(const SelfReport& report, const policy::Spec& spec) {
  if (spec.packages.empty()) return "";
  const MountLine* const found = mounted_at(policy::kPackages, report);
  const std::string place(policy::kPackages);
  if (found == nullptr) return place + " is not mounted";
  return found->has("ro") ? "" : place + " is writable";
}

// Empty when the directory stands there as it was asked for.
std::string wrong_with(const Mount& asked, const SelfReport& report, const policy::Spec& spec) {
  const MountLine* const found = mounted_at(asked.target, report);
  if (found == nullptr) return asked.target + " is not mounted";
  if (asked.access == MountAccess::read_only && !found->has("ro"))
    return asked.target + " is writable";
  for (const char* const option : {"nosuid", "nodev"}) {
    if (!found->has(option)) return asked.target + " is not " + option;
  }
  return is_strict(spec) && !found->has("noexec") ? asked.target + " is not noexec" : "";
}

std::string shown(const policy::Spec& spec) {
  std::string text;
  for (const Mount& mount : spec.mounts) {
    const bool writes = mount.access == MountAccess::read_write;
    text += "; " + mount.target + " is " + mount.source + (writes ? ", writable" : ", read-only");
  }
  const bool by_volume = !spec.packages.empty() && spec.mounts.empty();
  return by_volume ? "; " + std::string(policy::kPackages) + " is a volume, read-only" : text;
}

Judgement filesystem(const SelfReport& report, const policy::Spec& spec) {
  if (report.probe("root_write") != kReadOnly) return missing("the root can be written to");
  bool root_seen = false;
  for (const MountLine& mount : report.mounts) {
    root_seen = root_seen || (mount.target == "/" && mount.has("ro"));
    if (!mount.has("ro") && !may_be_writable(mount, spec)) {
      return missing(std::string(mount.target) + " is writable");
    }
  }
  for (const Mount& mount : spec.mounts) {
    if (const std::string wrong = wrong_with(mount, report, spec); !wrong.empty())
      return missing(wrong);
  }
  if (const std::string wrong = wrong_with_packages(report, spec); !wrong.empty())
    return missing(wrong);
  if (is_strict(spec) && report.probe("user_names") != kEnoent)
    return missing("/etc/passwd can be read");
  return decide(root_seen, (is_strict(spec) ? "read-only root, no /tmp, no user names, writable "
                                              "only: bounded tmpfs, not executable"
                                            : "read-only root, writable only: bounded tmpfs") +
                               shown(spec));
}

bool only(const std::string& text, std::string_view wanted) {
  const auto words = words_of(text);
  return !words.empty() &&
         std::all_of(words.begin(), words.end(),
                     [wanted](const std::string& word) { return word == wanted; });
}

Judgement privileges(const SelfReport& report, const policy::Spec&) {
  if (!only(status_of(report, "Uid"), kBoxUid)) return missing("uid " + status_of(report, "Uid"));
  if (!only(status_of(report, "Gid"), kBoxUid)) return missing("gid " + status_of(report, "Gid"));
  for (const char* const set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
    if (!only(status_of(report, set), "0000000000000000"))
      return missing(std::string(set) + " is not empty");
  }
  if (status_of(report, "NoNewPrivs") != "1") return missing("new privileges can be gained");
  if (report.probe("setuid").value_or(0) == 0) return missing("setuid(0) was not refused");
  return enforced("uid 65534, no capability, no new privileges");
}

// Inside, 65534 is the box's own, and whatever has no number there: natively it is looked at from
// outside as well.
Judgement groups(const SelfReport& report, const policy::Spec&) {
  const auto seen = report.status.find("Groups");
  if (!seen) return missing("groups could not be read");
  const std::string all(*seen);
  if (words_of(all).empty()) return enforced("no supplementary group");
  return only(all, kBoxUid) ? enforced("65534 alone, as seen inside")
                            : missing("in groups " + all);
}

Judgement syscalls(const SelfReport& report, const policy::Spec& spec) {
  if (status_of(report, "Seccomp") != "2") return missing("no filter");
  for (const char* const call : {"user_namespace", "mount", "keyctl", "bpf", "io_uring"}) {
    if (report.probe(call) != kEperm) return missing(std::string(call) + " was not refused");
  }
  for (const char* const family : {"vsock", "alg", "packet"}) {
    const auto code = report.probe(family);
    if (code != kEperm && code != kEnosys)
      return missing(std::string(family) + " sockets are not refused");
  }
  if (is_strict(spec) && report.probe("memory_file") != kEperm)
    return missing("memfd_create was not refused");
  return decide(report.probe("clone3") == kEnosys,
                "filter on, ten forbidden calls tried and refused");
}

// The kernel cannot be asked; the error of making a device file tells who has refused it. Version 6
// has all that is asked of it, and versions 7 and 8 can deny no more; of later ones that is not
// known.
Judgement landlock(const SelfReport& report, const policy::Spec&) {
  constexpr std::uint64_t kWhole = 6, kKnown = 8;
  const std::uint64_t version = report.number("landlock").value_or(0);
  if (version == 0)
    return missing("no Landlock: the kernel has none, it is off, or it was refused");
  if (report.probe("device_file") != kEacces)
    return missing("it did not refuse to make a device file");
  const std::string text = "Landlock version " + std::to_string(std::min(version, kWhole));
  const std::string newer = text + " of the kernel's " + std::to_string(version);
  if (version > kKnown) return {EvidenceStatus::partial, newer + ", which may deny more"};
  if (version > kWhole) return enforced(newer);
  if (version == kWhole) return enforced(text);
  return {EvidenceStatus::partial, text + ": not of sockets and signals"};
}

Judgement processes(const SelfReport& report, const policy::Spec&) {
  return decide(report.value("pid") == "1",
                "the runner is pid " + report.value("pid").value_or("unknown"));
}

Judgement hostname(const SelfReport& report, const policy::Spec&) {
  return decide(report.value("hostname") == "lazaret",
                "host name " + report.value("hostname").value_or("unknown"));
}

Judgement resource_limit(const SelfReport& report, const std::string& key, std::uint64_t most) {
  const auto words = words_of(report.value(key).value_or(""));
  if (words.size() != 2) return missing(key + " could not be read");
  const auto hard = parse_number(words[1]);
  return decide(hard && *hard <= most, key + " " + words[1]);
}

Judgement open_files(const SelfReport& report, const policy::Spec& spec) {
  return resource_limit(report, "limit.nofile", spec.limits.open_files);
}
Judgement file_size(const SelfReport& report, const policy::Spec& spec) {
  return resource_limit(report, "limit.fsize", spec.limits.file_bytes);
}
Judgement core_dumps(const SelfReport& report, const policy::Spec&) {
  return resource_limit(report, "limit.core", 0);
}

Judgement disk(const SelfReport& report, const policy::Spec& spec) {
  for (const char* const path : {"/work", "/tmp", "/dev/shm"}) {
    if (is_strict(spec) && path == std::string_view("/tmp")) continue;
    const auto facts = words_of(report.value(std::string("disk.") + path).value_or(""));
    if (facts.size() != 3) return missing(std::string(path) + " could not be read");
    const auto type = parse_number(facts[0]), bytes = parse_number(facts[1]),
               files = parse_number(facts[2]);
    const bool bounded = type == kTmpfs && bytes && *bytes > 0 &&
                         *bytes <= spec.limits.disk_bytes + kPage && files && *files > 0 &&
                         *files <= spec.limits.disk_files;
    if (!bounded)
      return missing(std::string(path) + " is not bounded: " + facts[1] + " bytes, " + facts[2] +
                     " inodes");
  }
  for (const Mount& mount : spec.mounts) {
    if (mount.access == MountAccess::read_write)
      return {EvidenceStatus::partial, mount.target + " is the host's own and has no bound"};
  }
  return enforced(is_strict(spec) ? "/work and /dev/shm bounded in bytes and inodes"
                                  : "/work, /tmp and /dev/shm bounded in bytes and inodes");
}

// Tried in a child of the runner, which has ended before the report was made: what holds the
// program is the same filter, and it is not started where that cannot be installed.
Judgement subprocess(const SelfReport& report, const policy::Spec& spec) {
  if (spec.subprocess == Subprocess::allow) return enforced("allowed, as asked");
  for (const char* const call : {"process", "execve", "execveat"}) {
    if (report.probe(std::string("subprocess_") + call) != kEperm)
      return missing(std::string(call) + " was not refused");
  }
  return decide(report.probe("subprocess_thread") == kEinval,
                "a second filter refuses clone, execve and execveat; threads may be made");
}

struct Row {
  Control control;
  Judgement (*read)(const SelfReport&, const policy::Spec&);
};

constexpr std::array kRows = {
    Row{Control::network, network},
    Row{Control::filesystem, filesystem},
    Row{Control::privileges, privileges},
    Row{Control::groups, groups},
    Row{Control::syscalls, syscalls},
    Row{Control::landlock, landlock},
    Row{Control::processes, processes},
    Row{Control::hostname, hostname},
    Row{Control::open_files, open_files},
    Row{Control::file_size, file_size},
    Row{Control::core_dumps, core_dumps},
    Row{Control::disk, disk},
    Row{Control::subprocess, subprocess},
};

}  // namespace

Reading read_limit(const SelfReport& report, const LimitOf& limit) {
  auto [status, applied] = resource_limit(report, limit.key, limit.most);
  return {limit.control, status, std::move(applied), kRunnerReport};
}

std::vector<Reading> read_report(const SelfReport& report, const policy::Spec& spec) {
  std::vector<Reading> readings;
  for (const Row& row : kRows) {
    auto [status, applied] = row.read(report, spec);
    readings.push_back({row.control, status, std::move(applied), kRunnerReport});
  }
  // The runner passes the job's own list to execve(2); nothing else can get into it.
  readings.push_back({Control::environment, EvidenceStatus::enforced,
                      std::to_string(spec.environment.size()) + " variables", "explicit at exec"});
  return readings;
}

}  // namespace lazaret::backend
