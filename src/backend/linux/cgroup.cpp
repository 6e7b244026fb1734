#include "backend/linux/cgroup.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <set>
#include <vector>

#include "backend/linux/cgroup_directory.hpp"
#include "backend/report.hpp"
#include "base/call.hpp"
#include "base/guarded.hpp"
#include "base/number.hpp"
#include "base/split.hpp"
#include "base/try.hpp"
#include "os/error.hpp"
#include "os/linux/system_file.hpp"

namespace lazaret::backend::native {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFiles = "cgroup files";
constexpr std::uint64_t kPeriodMicros = 100'000;
constexpr std::uint64_t kPageBytes = 4096;
constexpr std::chrono::seconds kGroupBound{2};

std::string cpu_max(const Limits& limits) {
  const auto quota =
      static_cast<std::uint64_t>(std::llround(limits.cpus * static_cast<double>(kPeriodMicros)));
  return std::to_string(quota) + " " + std::to_string(kPeriodMicros);
}

std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// Of boxes that did not end in time. Others clear what the dead have left, and we are not (L-49).
Guarded<std::vector<fs::path>>& left_ones() {
  static Guarded<std::vector<fs::path>> all;
  return all;
}

void clear_left_ones() {
  left_ones().with([](std::vector<fs::path>& all) {
    std::erase_if(all, [](const fs::path& path) {
      return ::rmdir(path.c_str()) == 0 || errno == ENOENT;
    });
  });
}

// The kernel keeps whole pages.
bool holds_memory(const std::string& seen, std::uint64_t wanted) {
  const auto bytes = parse_number(seen);
  return bytes && *bytes <= wanted && wanted - *bytes < kPageBytes;
}

// "8:0 rbps=1048576 wbps=1048576". What a box may write to is memory, but for directories that the
// caller shares so, whose size has no bound, as the evidence says.
std::string rates_of(const std::string& disk, const Limits& limits) {
  const std::string rate = std::to_string(limits.disk_rate_bytes);
  return disk + " rbps=" + rate + " wbps=" + rate;
}

// What stands in files that are another's holds nothing.
void withdraw(std::vector<Reading>& readings) {
  std::set<Control> controls;
  for (const Reading& reading : readings) controls.insert(reading.control);
  for (const Control control : controls)
    readings.push_back({control, EvidenceStatus::not_enforced,
                        "cgroup.procs does not name the box's first process", kFiles});
}

}  // namespace

Cgroup::Cgroup(fs::path path, os::Handle directory)
    : owner_(::getpid()), path_(std::move(path)), directory_(std::move(directory)) {}

Cgroup::Cgroup(Cgroup&& other) noexcept
    : owner_(other.owner_),
      row_(std::move(other.row_)),
      path_(std::exchange(other.path_, {})),
      directory_(std::move(other.directory_)),
      disks_(std::move(other.disks_)),
      victims_(other.victims_) {}

Result<Cgroup> Cgroup::create(const CgroupBase& base, const Limits& limits, Victims victims,
                              const Disks& disks) {
  clear_left_ones();
  if (base.row) (void)base.row->write().ok();
  LAZARET_TRY(const fs::path path, make_cgroup(base.directory));
  Cgroup cgroup(path, os::Handle(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
  if (!cgroup.directory_.valid()) return os::last_error("opening cgroup " + path.string());
  cgroup.row_ = base.row;
  cgroup.disks_ = disks;
  cgroup.victims_ = victims;
  LAZARET_CHECK(cgroup.write("memory.max", std::to_string(limits.memory_bytes)));
  LAZARET_CHECK(cgroup.write("memory.oom.group", cgroup.oom_group()));
  LAZARET_CHECK(cgroup.write("pids.max", std::to_string(limits.pids)));
  // Not there where the cpu controller was not handed out, and in a kernel without swap accounting;
  // the readings say so.
  if (cgroup.has("cpu.max")) LAZARET_CHECK(cgroup.write("cpu.max", cpu_max(limits)));
  if (cgroup.has("io.max")) LAZARET_CHECK(cgroup.limit_disks(limits));
  (void)cgroup.write("memory.swap.max", "0").ok();
  return cgroup;
}

Status Cgroup::remove(const Call& call) {
  if (path_.empty()) return {};
  LAZARET_CHECK(remove_cgroup(path_, call));
  path_.clear();
  return {};
}

// A fork of the program that we are part of has a copy of us, but no say.
Cgroup::~Cgroup() {
  if (::getpid() != owner_ || remove(Call{}.within(kGroupBound)).ok()) return;
  if (row_) row_->keep();
  left_ones().with([this](std::vector<fs::path>& all) { all.push_back(path_); });
}

std::string Cgroup::read(const char* file) const {
  return trimmed(os::text_of_system_file(directory_.get(), file));
}

// Swap comes with memory, where the kernel counts it: some before Linux 6.1 want to be told to.
const char* Cgroup::why_missing(Control control) const {
  if (control == Control::swap && has("memory.max") && !has("memory.swap.max"))
    return "is missing: this kernel does not count swap (boot with swapaccount=1)";
  return "is missing: not delegated, or not in this kernel";
}

bool Cgroup::has(const char* file) const {
  return ::faccessat(directory_.get(), file, F_OK, 0) == 0;
}

Status Cgroup::limit_disks(const Limits& limits) const {
  for (const std::string& disk : disks_.named)
    LAZARET_CHECK(write("io.max", rates_of(disk, limits)));
  return {};
}

// A line for each disk: "8:0 rbps=1048576 wbps=1048576 riops=max wiops=max".
std::vector<Reading> Cgroup::disk_readings(const Limits& limits) const {
  std::vector<Reading> readings;
  if (!has("io.max") && (disks_.has_others || !disks_.named.empty()))
    return {unlimited_reading("no io controller here", kFiles)};
  if (disks_.has_others)
    readings.push_back(unlimited_reading("some of it is on none that the kernel names", kFiles));
  const std::string text = read("io.max");
  for (const std::string& disk : disks_.named) {
    const std::string wanted = rates_of(disk, limits);
    const bool holds = ("\n" + text).find("\n" + wanted + " ") != std::string::npos;
    readings.push_back({Control::disk,
                        holds ? EvidenceStatus::enforced : EvidenceStatus::not_enforced,
                        "io.max " + (holds ? wanted : "has no " + wanted), kFiles});
  }
  return readings;
}

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
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() == 2 && words[0] == name) return parse_number(words[1]);
  }
  return std::nullopt;
}

bool Cgroup::holds(pid_t process) const {
  const std::string text = read("cgroup.procs");
  return std::ranges::count(split(text, '\n'), std::to_string(process)) > 0;
}

std::vector<Reading> Cgroup::readings(const Limits& limits, pid_t first) const {
  const auto reading = [this](Control control, const char* file, const auto& holds) {
    const std::string seen = read(file);
    return Reading{control,
                   holds(seen) ? EvidenceStatus::enforced : EvidenceStatus::not_enforced,
                   std::string(file) + " " + (seen.empty() ? why_missing(control) : seen), kFiles};
  };
  const auto is = [](std::string wanted) {
    return [wanted = std::move(wanted)](const std::string& seen) { return seen == wanted; };
  };
  std::vector<Reading> readings = disk_readings(limits);
  readings.push_back(reading(Control::memory, "memory.max", [&limits](const std::string& seen) {
    return holds_memory(seen, limits.memory_bytes);
  }));
  const bool grouped = read("memory.oom.group") == oom_group();
  readings.push_back(
      {Control::memory, grouped ? EvidenceStatus::enforced : EvidenceStatus::not_enforced,
       grouped ? "" : "memory.oom.group is not " + std::string(oom_group()), kFiles});
  readings.push_back(reading(Control::swap, "memory.swap.max", is("0")));
  readings.push_back(reading(Control::pids, "pids.max", is(std::to_string(limits.pids))));
  readings.push_back(reading(Control::cpu, "cpu.max", is(cpu_max(limits))));
  if (!holds(first)) withdraw(readings);
  return readings;
}

const char* Cgroup::oom_group() const { return victims_ == Victims::all ? "1" : "0"; }

std::uint32_t Cgroup::processes() const {
  return static_cast<std::uint32_t>(split(read("cgroup.procs"), '\n').size());
}

void Cgroup::examine(Autopsy& autopsy) const {
  autopsy.usage.memory_kills = field("memory.events", "oom_kill").value_or(0);
  autopsy.usage.pids_refusals = field("pids.events", "max").value_or(0);
  if (const auto micros = field("cpu.stat", "usage_usec")) autopsy.usage.cpu_ms = *micros / 1000;
  if (const auto peak = parse_number(read("memory.peak"))) autopsy.usage.peak_memory_bytes = *peak;
  if (const auto peak = parse_number(read("pids.peak"))) autopsy.usage.peak_pids = *peak;
  autopsy.usage.source = "cgroup";
}

}  // namespace lazaret::backend::native
