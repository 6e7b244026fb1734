#include "backend/docker/local_view.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include "base/file.hpp"
#include "base/number.hpp"
#include "base/split.hpp"
#include "os/pipe.hpp"

#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace lazaret::backend::docker {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFromOutside = "/proc from outside";
constexpr std::array kCompared = {"mnt", "pid", "net", "ipc", "uts", "cgroup"};

os::Handle descriptor_of(std::uint64_t pid) {
#if defined(__linux__) && defined(SYS_pidfd_open)
  return os::Handle(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0)));
#else
  (void)pid;
  return {};
#endif
}

fs::path proc(std::uint64_t pid) { return fs::path("/proc") / std::to_string(pid); }

std::string namespace_of(const fs::path& process, const char* name) {
  std::error_code error;
  const fs::path target = fs::read_symlink(process / "ns" / name, error);
  return error ? "" : target.string();
}

SelfReport status_of(const fs::path& process) {
  return parse_status(text_of_file(process / "status"));
}

std::string field_of(const SelfReport& report, const std::string& field) {
  return std::string(report.status.find(field).value_or(""));
}

Reading decide(Control control, bool holds, const std::string& good, const std::string& bad) {
  return {control, holds ? EvidenceStatus::enforced : EvidenceStatus::not_enforced,
          holds ? good : bad, kFromOutside};
}

std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::string text = text_of_file(file);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return parse_number(text);
}

// "oom_kill 3" of memory.events and its like.
std::optional<std::uint64_t> field_in(const fs::path& file, std::string_view name) {
  std::istringstream text(text_of_file(file));
  std::string key, value;
  while (text >> key >> value) {
    if (key == name) return parse_number(value);
  }
  return std::nullopt;
}

// One to a line.
std::vector<std::uint64_t> pids_in(const fs::path& file) {
  std::vector<std::uint64_t> pids;
  const std::string text = text_of_file(file);
  for (const std::string_view line : split(text, '\n')) {
    if (const auto pid = parse_number(line)) pids.push_back(*pid);
  }
  return pids;
}

std::vector<std::uint64_t> pids_of_machine() {
  std::vector<std::uint64_t> pids;
  std::error_code error;
  for (fs::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    if (const auto pid = parse_number(entry->path().filename().string())) pids.push_back(*pid);
  }
  return pids;
}

// Mount point of each version 1 controller, and under "" of version 2.
std::map<std::string, fs::path> cgroup_mounts(std::string_view mountinfo) {
  std::map<std::string, fs::path> mounts;
  for (const std::string_view line : split(mountinfo, '\n')) {
    const std::vector<std::string> words = words_of(line);
    for (std::size_t index = 6; index + 3 < words.size(); ++index) {
      if (words[index] != "-") continue;
      const std::string& type = words[index + 1];
      if (type == "cgroup2") mounts.emplace("", words[4]);
      if (type != "cgroup") continue;
      for (const std::string_view option : split(words[index + 3], ',')) {
        mounts.emplace(option, words[4]);
      }
    }
  }
  return mounts;
}

}  // namespace

std::map<std::string, fs::path> cgroup_directories(std::string_view cgroup,
                                                   std::string_view mountinfo) {
  const auto mounts = cgroup_mounts(mountinfo);
  std::map<std::string, fs::path> directories;
  for (const std::string_view line : split(cgroup, '\n')) {
    // "4:memory:/docker/ab12": a path may hold colons, a list of controllers may not.
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string_view list = line.substr(first + 1, second - first - 1);
    const fs::path path = fs::path(line.substr(second + 1)).relative_path();
    std::vector<std::string_view> controllers = split(list, ',');
    if (controllers.empty()) controllers.emplace_back();
    for (const std::string_view controller : controllers) {
      const auto mount = mounts.find(std::string(controller));
      if (mount != mounts.end()) directories[mount->first] = mount->second / path;
    }
  }
  return directories;
}

std::optional<LocalView> LocalView::of(std::uint64_t pid, const SelfReport& report) {
  if (pid == 0) return std::nullopt;
  LocalView view;
  view.pid_ = pid;
  view.pidfd_ = descriptor_of(pid);
  if (!view.pidfd_.valid()) return std::nullopt;
  for (const char* const name : kCompared) {
    const std::string seen = namespace_of(proc(pid), name);
    if (seen.empty() || report.value(std::string("ns.") + name) != seen) return std::nullopt;
    view.namespaces_[name] = seen;
  }
  view.cgroups_ =
      cgroup_directories(text_of_file(proc(pid) / "cgroup"), text_of_file("/proc/self/mountinfo"));
  return view;
}

std::vector<Reading> LocalView::readings() const {
  constexpr std::pair<Control, const char*> kApart[] = {
      {Control::network, "net"}, {Control::filesystem, "mnt"}, {Control::processes, "pid"},
      {Control::ipc, "ipc"},     {Control::hostname, "uts"},   {Control::cgroup_view, "cgroup"},
  };
  std::vector<Reading> readings;
  for (const auto& [control, name] : kApart) {
    const bool apart = namespaces_.at(name) != namespace_of("/proc/self", name);
    const std::string what = std::string(name) + " namespace";
    readings.push_back(decide(control, apart, "own " + what, "no own " + what));
  }
  constexpr std::pair<Control, std::pair<const char*, const char*>> kFields[] = {
      {Control::syscalls, {"Seccomp", "2"}},
      {Control::privileges, {"NoNewPrivs", "1"}},
      {Control::privileges, {"CapEff", "0000000000000000"}},
      {Control::privileges, {"CapPrm", "0000000000000000"}},
      {Control::privileges, {"CapBnd", "0000000000000000"}},
  };
  const SelfReport status = status_of(proc(pid_));
  for (const auto& [control, wanted] : kFields) {
    const bool holds = field_of(status, wanted.first) == wanted.second;
    readings.push_back(
        decide(control, holds, "", std::string(wanted.first) + " is not " + wanted.second));
  }
  return readings;
}

fs::path LocalView::cgroup_of(const char* controller) const {
  const auto found = cgroups_.find(controller);
  const auto unified = cgroups_.find("");
  if (found != cgroups_.end()) return found->second;
  return unified == cgroups_.end() ? fs::path("/nonexistent") : unified->second;
}

bool LocalView::examine(Autopsy& autopsy) const {
  const fs::path memory = cgroup_of("memory"), cpu = cgroup_of("cpuacct"), pids = cgroup_of("pids");
  const auto either = [](std::optional<std::uint64_t> two, std::optional<std::uint64_t> one) {
    return two ? two : one;
  };
  const auto kills = either(field_in(memory / "memory.events", "oom_kill"),
                            field_in(memory / "memory.oom_control", "oom_kill"));
  if (!kills) return false;
  autopsy.usage.memory_kills = *kills;
  autopsy.usage.pids_refusals = field_in(pids / "pids.events", "max").value_or(0);
  autopsy.usage.peak_memory_bytes =
      either(number_in(memory / "memory.peak"), number_in(memory / "memory.max_usage_in_bytes"));
  autopsy.usage.peak_pids = number_in(pids / "pids.peak");
  constexpr std::uint64_t kMicros = 1000, kNanos = 1'000'000;
  if (const auto micros = field_in(cpu / "cpu.stat", "usage_usec")) {
    autopsy.usage.cpu_ms = *micros / kMicros;
  } else if (const auto nanos = number_in(cpu / "cpuacct.usage")) {
    autopsy.usage.cpu_ms = *nanos / kNanos;
  }
  autopsy.usage.source = "cgroup";
  return true;
}

// pidfd_open(2): readable once the process has ended; the kernel ends a pid namespace's other
// processes before its init is gone (pid_namespaces(7)).
Status LocalView::wait_end(const Call& call) const {
  std::array watches = {os::Watch{pidfd_.get(), true, false}};
  return os::wait_ready(watches, call);
}

// Its first process is shut off from all that may not look at every process of its user.
bool LocalView::sees_all() const {
  return namespace_of(proc(pid_), "pid") == namespaces_.at("pid");
}

bool LocalView::is_other(std::uint64_t pid) const {
  if (pid == pid_ || namespace_of(proc(pid), "pid") != namespaces_.at("pid")) return false;
  const std::string state = field_of(status_of(proc(pid)), "State");
  return !state.empty() && state.front() != 'Z' && state.front() != 'X';
}

// No process leaves its cgroup by itself. Only where that does not show us its first process are
// all processes of this machine looked at, which takes longer the more there are.
std::uint32_t LocalView::survivors() const {
  std::vector<std::uint64_t> pids = pids_in(cgroup_of("pids") / "cgroup.procs");
  if (std::ranges::find(pids, pid_) == pids.end()) pids = pids_of_machine();
  return static_cast<std::uint32_t>(
      std::count_if(pids.begin(), pids.end(), [this](std::uint64_t pid) { return is_other(pid); }));
}

}  // namespace lazaret::backend::docker
