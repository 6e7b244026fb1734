#include "backend/linux/cgroup.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <fstream>
#include <sstream>

#include "backend/report.hpp"
#include "base/call.hpp"
#include "base/try.hpp"
#include "os/error.hpp"
#include "os/linux/wait.hpp"

namespace lazaret::backend::native {
namespace {

namespace fs = std::filesystem;

constexpr std::array kControllers = {"memory", "cpu", "pids"};
constexpr std::uint64_t kPeriodMicros = 100'000;
constexpr std::chrono::milliseconds kRemoveRetry{5};
constexpr std::chrono::seconds kRemoveBound{2};

std::string text_of_file(const fs::path& path) {
  const std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool offers(const fs::path& directory, const char* file, const char* controller) {
  std::string text = text_of_file(directory / file);
  for (char& character : text) {
    if (character == '\n') character = ' ';
  }
  for (const std::string& word : words_of(text)) {
    if (word == controller) return true;
  }
  return false;
}

// Gives the controllers to children of `directory`; fails where processes live (cgroups(7), "no
// internal processes") or we may not write.
bool can_host(const fs::path& directory) {
  for (const char* const controller : kControllers) {
    if (!offers(directory, "cgroup.controllers", controller)) return false;
    if (offers(directory, "cgroup.subtree_control", controller)) continue;
    std::ofstream control(directory / "cgroup.subtree_control");
    control << '+' << controller << std::flush;
    if (!control) return false;
  }
  return ::access(directory.c_str(), W_OK) == 0;
}

std::string cpu_max(const Limits& limits) {
  const auto quota =
      static_cast<std::uint64_t>(std::llround(limits.cpus * static_cast<double>(kPeriodMicros)));
  return std::to_string(quota) + " " + std::to_string(kPeriodMicros);
}

std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

std::optional<fs::path> cgroup2_mount(std::string_view mountinfo) {
  for (const std::string_view line : lines_of(mountinfo)) {
    const std::vector<std::string> words = words_of(line);
    for (std::size_t index = 6; index + 1 < words.size(); ++index) {
      if (words[index] == "-" && words[index + 1] == "cgroup2") return fs::path(words[4]);
    }
  }
  return std::nullopt;
}

std::optional<fs::path> own_cgroup(std::string_view proc_cgroup) {
  for (const std::string_view line : lines_of(proc_cgroup)) {
    if (line.substr(0, 3) == "0::") return fs::path(line.substr(3)).relative_path();
  }
  return std::nullopt;
}

CgroupBase find_cgroup_base() {
  const auto mount = cgroup2_mount(text_of_file("/proc/self/mountinfo"));
  if (!mount) return {{}, "no cgroup v2 file system is mounted (version 1 is not used)"};
  const auto own = own_cgroup(text_of_file("/proc/self/cgroup"));
  if (!own) return {{}, "this process is in no cgroup v2"};
  // From our own place upwards: the first directory that takes children with limits.
  for (fs::path place = *own;; place = place.parent_path()) {
    const fs::path directory = *mount / place;
    if (can_host(directory)) return {directory, ""};
    if (place.empty()) break;
  }
  const char* const fix =
      ::geteuid() == 0 ? "boot with cgroup_no_v1=all to give version 2 the controllers"
                       : "start with: systemd-run --user --scope -p Delegate=yes lazaret ...";
  return {{}, "no usable cgroup v2 at " + mount->string() + " (" + fix + ")"};
}

Cgroup::Cgroup(fs::path path, os::Handle directory)
    : path_(std::move(path)), directory_(std::move(directory)) {}

Cgroup::Cgroup(Cgroup&& other) noexcept
    : path_(std::exchange(other.path_, {})), directory_(std::move(other.directory_)) {}

Result<Cgroup> Cgroup::create(const CgroupBase& base, const std::string& name,
                              const Limits& limits) {
  const fs::path path = base.directory / name;
  std::error_code error;
  // A process that had our number before and was killed may have left one of this name, empty.
  if (!fs::create_directory(path, error) && !error) {
    (void)::rmdir(path.c_str());
    if (::mkdir(path.c_str(), 0755) != 0) error.assign(errno, std::generic_category());
  }
  if (error) return os::system_error("making cgroup " + path.string(), error.value());
  Cgroup cgroup(path, os::Handle(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
  if (!cgroup.directory_.valid()) return os::last_error("opening cgroup " + path.string());
  LAZARET_CHECK(cgroup.write("memory.max", std::to_string(limits.memory_bytes)));
  LAZARET_CHECK(cgroup.write("memory.oom.group", "1"));
  LAZARET_CHECK(cgroup.write("pids.max", std::to_string(limits.pids)));
  LAZARET_CHECK(cgroup.write("cpu.max", cpu_max(limits)));
  // A kernel without swap accounting has no such file; the reading then says so.
  (void)cgroup.write("memory.swap.max", "0").ok();
  return cgroup;
}

Status Cgroup::remove(const Call& call) {
  if (path_.empty()) return {};
  (void)write("cgroup.kill", "1").ok();  // not there before Linux 5.14: the namespace has ended it
  // rmdir(2) says EBUSY until the last process is gone (P-52).
  while (::rmdir(path_.c_str()) != 0) {
    if (errno != EBUSY) return os::last_error("removing cgroup " + path_.string());
    LAZARET_CHECK(call.check());
    (void)os::wait_any({}, Call{}.within(kRemoveRetry)).ok();
  }
  path_.clear();
  return {};
}

Cgroup::~Cgroup() { (void)remove(Call{}.within(kRemoveBound)).ok(); }

std::string Cgroup::read(const char* file) const { return trimmed(text_of_file(path_ / file)); }

Status Cgroup::write(const char* file, const std::string& text) const {
  const os::Handle handle(::openat(directory_.get(), file, O_WRONLY | O_CLOEXEC));
  if (!handle.valid()) return os::last_error(std::string("opening cgroup file ") + file);
  if (::write(handle.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return os::last_error(std::string("writing cgroup file ") + file);
  }
  return {};
}

std::optional<std::uint64_t> Cgroup::field(const char* file, std::string_view name) const {
  const std::string text = read(file);
  for (const std::string_view line : lines_of(text)) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() == 2 && words[0] == name) return parse_number(words[1]);
  }
  return std::nullopt;
}

std::vector<Reading> Cgroup::readings(const Limits& limits) const {
  const auto compare = [this](Control control, const char* file, const std::string& wanted) {
    const std::string seen = read(file);
    return Reading{control,
                   seen == wanted ? EvidenceStatus::enforced : EvidenceStatus::not_enforced,
                   std::string(file) + " " + (seen.empty() ? "unreadable" : seen), "cgroup files"};
  };
  return {compare(Control::memory, "memory.max", std::to_string(limits.memory_bytes)),
          compare(Control::swap, "memory.swap.max", "0"),
          compare(Control::pids, "pids.max", std::to_string(limits.pids)),
          compare(Control::cpu, "cpu.max", cpu_max(limits))};
}

void Cgroup::examine(Autopsy& autopsy) const {
  autopsy.memory_kill = field("memory.events", "oom_kill").value_or(0) > 0;
  autopsy.pids_refused = field("pids.events", "max").value_or(0) > 0;
  if (const auto micros = field("cpu.stat", "usage_usec")) autopsy.usage.cpu_ms = *micros / 1000;
  if (const auto peak = parse_number(read("memory.peak"))) autopsy.usage.peak_memory_bytes = *peak;
  if (const auto peak = parse_number(read("pids.peak"))) autopsy.usage.peak_pids = *peak;
  autopsy.usage.source = "cgroup";
}

}  // namespace lazaret::backend::native
