#include "backend/linux/cgroup_base.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

#include "backend/report.hpp"
#include "base/try.hpp"
#include "os/error.hpp"
#include "os/handle.hpp"
#include "os/linux/wait.hpp"

namespace lazaret::backend::native {
namespace {

namespace fs = std::filesystem;

constexpr std::array kNeeded = {"memory", "pids"};
constexpr std::array kWanted = {"memory", "pids", "cpu"};
constexpr const char* kTake = "-memory -cpu -pids";
constexpr const char* kPrefix = "lazaret-";
constexpr const char* kSeat = "self";
constexpr std::chrono::milliseconds kRemoveRetry{5};
constexpr std::chrono::seconds kRemoveBound{2};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::string text_of_file(const fs::path& path) {
  const std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Whatever stands between them: spaces in cgroup.controllers, newlines in cgroup.procs.
std::vector<std::string> words_of_file(const fs::path& path) {
  std::ifstream file(path);
  return {std::istream_iterator<std::string>(file), {}};
}

// Answers errno, or 0.
int write_file(const fs::path& path, std::string_view text) {
  const os::Handle file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.valid()) return errno;
  return ::write(file.get(), text.data(), text.size()) < 0 ? errno : 0;
}

// proc(5): white space in a path of mountinfo is written in octal.
std::string unescaped(const std::string& text) {
  std::string plain;
  for (std::size_t index = 0; index < text.size(); ++index) {
    const std::string digits = text.substr(std::min(index + 1, text.size()), 3);
    const bool escape = text[index] == '\\' && digits.size() == 3 &&
                        digits.find_first_not_of("01234567") == std::string::npos;
    plain += escape ? static_cast<char>(std::stoi(digits, nullptr, 8)) : text[index];
    if (escape) index += 3;
  }
  return plain;
}

std::uint64_t own_pid_namespace() {
  struct stat facts {};
  return ::stat("/proc/self/ns/pid", &facts) == 0 ? facts.st_ino : 0;
}

std::string own_name(const std::string& what) {
  return kPrefix + std::to_string(::getpid()) + "-" + what + "-" +
         std::to_string(own_pid_namespace());
}

// Those of `controllers` that the file names.
std::vector<std::string> listed(const fs::path& file, std::span<const char* const> controllers) {
  const std::vector<std::string> words = words_of_file(file);
  std::vector<std::string> found;
  for (const char* const controller : controllers) {
    if (std::find(words.begin(), words.end(), controller) != words.end())
      found.emplace_back(controller);
  }
  return found;
}

std::string giving(const std::vector<std::string>& controllers) {
  std::string text;
  for (const std::string& controller : controllers) text += "+" + controller + " ";
  return text;
}

bool holds_nobody_else(const fs::path& directory) {
  const std::vector<std::string> pids = words_of_file(directory / "cgroup.procs");
  return std::all_of(pids.begin(), pids.end(),
                     [](const std::string& pid) { return pid == std::to_string(::getpid()); });
}

std::vector<fs::path> children_of(const fs::path& directory) {
  std::vector<fs::path> children;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error); entry != fs::directory_iterator();
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_directory(ignored)) children.push_back(entry->path());
  }
  return children;
}

enum class Hosting { possible, not_offered, not_ours, inhabited };

// clone3 into a child needs the right to write to cgroup.procs of the directory above both. Many
// service managers hand out memory and pids only: better those two than none.
Hosting try_hosting(const fs::path& directory) {
  const fs::path control = directory / "cgroup.subtree_control";
  const auto offered = listed(directory / "cgroup.controllers", kWanted);
  if (listed(directory / "cgroup.controllers", kNeeded).size() < kNeeded.size())
    return Hosting::not_offered;
  if (::access(directory.c_str(), W_OK) != 0 ||
      ::access((directory / "cgroup.procs").c_str(), W_OK) != 0) {
    return Hosting::not_ours;
  }
  if (listed(control, kWanted) == offered) return Hosting::possible;
  const int error = write_file(control, giving(offered));
  if (listed(control, kNeeded).size() == kNeeded.size()) return Hosting::possible;
  return error == EBUSY ? Hosting::inhabited : Hosting::not_ours;
}

// A process of ours that was killed can no longer do this itself. What is not empty belongs to a
// program that has nobody any more who would end it.
void clear_left(const fs::path& base) {
  if (::access(base.c_str(), W_OK) != 0) return;
  const std::uint64_t pid_namespace = own_pid_namespace();
  const Call call = Call{}.within(kRemoveBound);
  for (const fs::path& child : children_of(base)) {
    const auto name = parse_cgroup_name(child.filename().string());
    if (!name || name->pid_namespace != pid_namespace) continue;
    if (::kill(static_cast<pid_t>(name->pid), 0) == 0 || errno != ESRCH) continue;
    const bool seat = child.filename().string().find(kSeat) != std::string::npos;
    // Whoever lives in the place that Lazaret itself had is not a box and none of our business.
    (void)(seat ? ::rmdir(child.c_str()) == 0 : remove_cgroup(child, call).ok());
  }
}

// Directories from the inner one up to the outer one.
std::vector<fs::path> from_to(fs::path inner, const fs::path& outer) {
  std::vector<fs::path> directories = {inner};
  while (inner != outer && inner.has_relative_path()) {
    inner = inner.parent_path();
    directories.push_back(inner);
  }
  return directories;
}

struct Search {
  fs::path inhabited;
  bool offered = false;
};

std::string explain(const Search& search, const fs::path& point, bool version_one) {
  if (!search.inhabited.empty()) {
    return "other processes live in cgroup " + search.inhabited.string() +
           ", start Lazaret in one of its own";
  }
  if (!search.offered && version_one) {
    return "cgroup v2 at " + point.string() +
           " has no controllers, version 1 holds them and is not used (boot with "
           "cgroup_no_v1=all)";
  }
  const char* const fix =
      ::geteuid() == 0 ? "in a service: Delegate=yes; in a container: a writable cgroup file system"
                       : "start with: systemd-run --user --scope -p Delegate=yes lazaret ...";
  return "no usable cgroup v2 at " + point.string() + " (" + fix + ")";
}

bool has_version_one(const std::string& mountinfo) {
  return mountinfo.find(" - cgroup ") != std::string::npos;
}

std::optional<CgroupBase> try_base(const fs::path& directory, Search& search) {
  CgroupBase base{directory, "", {}};
  Hosting hosting = try_hosting(directory);
  search.offered = search.offered || hosting != Hosting::not_offered;
  // Rather within our own place than above it, where limits of this place would not hold the boxes.
  if (hosting == Hosting::inhabited && holds_nobody_else(directory)) {
    auto seat = CgroupSeat::take(directory);
    if (seat.ok()) base.seat = std::move(*seat);
    hosting = try_hosting(directory);
  }
  if (hosting == Hosting::inhabited && search.inhabited.empty()) search.inhabited = directory;
  if (hosting != Hosting::possible) return std::nullopt;
  return base;
}

}  // namespace

std::optional<Cgroup2Mount> cgroup2_mount(std::string_view mountinfo) {
  for (const std::string& line : split(std::string(mountinfo), '\n')) {
    const std::vector<std::string> words = words_of(line);
    for (std::size_t index = 6; index + 1 < words.size(); ++index) {
      if (words[index] == "-" && words[index + 1] == "cgroup2")
        return Cgroup2Mount{unescaped(words[3]), unescaped(words[4])};
    }
  }
  return std::nullopt;
}

std::optional<fs::path> own_cgroup(std::string_view proc_cgroup) {
  for (const std::string& line : split(std::string(proc_cgroup), '\n')) {
    if (line.substr(0, 3) == "0::") return fs::path(line.substr(3));
  }
  return std::nullopt;
}

std::optional<fs::path> directory_of(const fs::path& cgroup, const Cgroup2Mount& mount) {
  const fs::path beneath = cgroup.lexically_relative(mount.root);
  if (beneath.empty() || std::find(beneath.begin(), beneath.end(), "..") != beneath.end()) {
    return std::nullopt;
  }
  return beneath == "." ? mount.point : mount.point / beneath;
}

std::optional<CgroupName> parse_cgroup_name(std::string_view name) {
  const std::vector<std::string> parts = split(std::string(name), '-');
  if (parts.size() != 4 || parts[0] + "-" != kPrefix) return std::nullopt;
  const auto pid = parse_number(parts[1]);
  const auto pid_namespace = parse_number(parts[3]);
  const bool known = parts[2] == kSeat || parse_number(parts[2]);
  if (!pid || !pid_namespace || !known) return std::nullopt;
  return CgroupName{*pid, *pid_namespace};
}

CgroupBase find_cgroup_base() {
  const std::string mountinfo = text_of_file("/proc/self/mountinfo");
  const bool version_one = has_version_one(mountinfo);
  const auto mount = cgroup2_mount(mountinfo);
  if (!mount) {
    return {{},
            version_one ? "only cgroup version 1 is mounted, which is not used (boot with "
                          "systemd.unified_cgroup_hierarchy=1 cgroup_no_v1=all)"
                        : "no cgroup file system is mounted",
            {}};
  }
  const auto own = own_cgroup(text_of_file("/proc/self/cgroup"));
  const auto place = own ? directory_of(*own, *mount) : std::nullopt;
  if (!place) return {{}, "this process is in no cgroup beneath " + mount->point.string(), {}};
  const std::vector<fs::path> upwards = from_to(*place, mount->point);
  for (const fs::path& directory : upwards) clear_left(directory);
  Search search;
  for (const fs::path& directory : upwards) {
    if (auto base = try_base(directory, search)) return std::move(*base);
  }
  return {{}, explain(search, mount->point, version_one), {}};
}

fs::path box_directory(const CgroupBase& base, const std::string& name) {
  return base.directory / (name + "-" + std::to_string(own_pid_namespace()));
}

Status remove_cgroup(const fs::path& directory, const Call& call) {
  // Not there before Linux 5.14: then the end of the pid namespace has ended all of it.
  (void)write_file(directory / "cgroup.kill", "1");
  // rmdir(2) says EBUSY until the last process is gone (P-52).
  while (::rmdir(directory.c_str()) != 0) {
    if (errno == ENOENT) return {};
    if (errno != EBUSY) return os::last_error("removing cgroup " + directory.string());
    LAZARET_CHECK(call.check());
    (void)os::wait_any({}, Call{}.within(kRemoveRetry)).ok();
  }
  return {};
}

Result<CgroupSeat> CgroupSeat::take(const fs::path& directory) {
  const fs::path leaf = directory / own_name(kSeat);
  if (::mkdir(leaf.c_str(), 0755) != 0 && errno != EEXIST) {
    return os::last_error("making cgroup " + leaf.string());
  }
  CgroupSeat seat;
  seat.directory_ = directory;
  if (const int error = write_file(leaf / "cgroup.procs", "0"); error != 0) {
    return os::system_error("moving into cgroup " + leaf.string(), error);
  }
  return seat;
}

CgroupSeat::CgroupSeat(CgroupSeat&& other) noexcept
    : directory_(std::exchange(other.directory_, {})) {}

CgroupSeat& CgroupSeat::operator=(CgroupSeat&& other) noexcept {
  if (this != &other) {
    leave();
    directory_ = std::exchange(other.directory_, {});
  }
  return *this;
}

CgroupSeat::~CgroupSeat() { leave(); }

// Whoever still uses the controllers has a directory of his own here, or was started by us and sits
// in our leaf: then all stays as it is, and the next run or the service manager clears it.
void CgroupSeat::leave() noexcept {
  if (directory_.empty()) return;
  const fs::path leaf = directory_ / own_name(kSeat);
  if (children_of(directory_) == std::vector<fs::path>{leaf} && holds_nobody_else(leaf)) {
    (void)write_file(directory_ / "cgroup.subtree_control", kTake);
    (void)write_file(directory_ / "cgroup.procs", "0");
    (void)::rmdir(leaf.c_str());
  }
  directory_.clear();
}

}  // namespace lazaret::backend::native
