#include "backend/linux/cgroup_base.hpp"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <utility>
#include <vector>

#include "backend/linux/cgroup_directory.hpp"
#include "backend/report.hpp"
#include "base/file.hpp"
#include "base/split.hpp"
#include "os/error.hpp"

namespace lazaret::backend::native {
namespace {

namespace fs = std::filesystem;

constexpr std::array kNeeded = {"memory", "pids"};
constexpr std::array kWanted = {"memory", "pids", "cpu", "io"};
constexpr std::chrono::seconds kBaseBound{2};

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

// Those of `controllers` that the file names.
std::vector<std::string> listed(const fs::path& file, std::span<const char* const> controllers) {
  const std::vector<std::string> words = words_of_cgroup_file(file);
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
  const int error = write_cgroup_file(control, giving(offered));
  if (listed(control, kNeeded).size() == kNeeded.size()) return Hosting::possible;
  return error == EBUSY ? Hosting::inhabited : Hosting::not_ours;
}

// A process of ours that was killed can no longer do this itself.
void clear_left(const fs::path& base) {
  if (::access(base.c_str(), W_OK) != 0) return;
  const Call call = Call{}.within(kBaseBound);
  for (const fs::path& child : children_of(base)) {
    const auto name = parse_cgroup_name(child.filename().string());
    if (name && standing_of(*name, child) == journal::Standing::dead)
      (void)remove_left(child, *name, call).ok();
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

// A manager's own processes live in init.scope, and it marks what it has handed out
// (systemd.special(7), systemd.resource-control(5)).
bool is_managed(const fs::path& directory, const fs::path& outermost) {
  for (const fs::path& upwards : from_to(directory, outermost)) {
    if (::access((upwards / "init.scope").c_str(), F_OK) == 0) return true;
    for (const char* const mark : {"user.delegate", "trusted.delegate"}) {
      char value = 0;
      if (::getxattr(upwards.c_str(), mark, &value, 1) == 1 && value == '1') return false;
    }
  }
  return false;
}

// The manager of a user marks nothing in systemd 252: what he has to himself is taken for his.
bool looks_handed_out(const fs::path& directory) {
  return ::geteuid() != 0 && words_of_cgroup_file(directory / "cgroup.procs") ==
                                 std::vector<std::string>{std::to_string(::getpid())};
}

struct Search {
  fs::path outermost;
  std::shared_ptr<CgroupRow> row;
  fs::path inhabited = {};
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

const char* in_words(Hosting hosting) {
  switch (hosting) {
    case Hosting::possible: return "boxes may have cgroups there";
    case Hosting::not_offered: return "it has no memory and pids controllers";
    case Hosting::not_ours: return "its controllers cannot be given to boxes";
    case Hosting::inhabited: return "other processes live in it";
  }
  return "";
}

bool has_version_one(const std::string& mountinfo) {
  return mountinfo.find(" - cgroup ") != std::string::npos;
}

std::optional<CgroupBase> try_base(const fs::path& directory, Search& search) {
  CgroupBase base{directory, "", {}, false, search.row};
  base.managed = !looks_handed_out(directory) && is_managed(directory, search.outermost);
  std::error_code ignored;
  Hosting hosting = try_hosting(directory);
  search.offered = search.offered || hosting != Hosting::not_offered;
  // Rather within our own place than above it, where limits of this place would not hold the boxes.
  const bool seated = fs::exists(seat_in(directory), ignored);
  if (seated || (hosting == Hosting::inhabited && !base.managed && holds_nobody_else(directory))) {
    auto seat = CgroupSeat::take(directory, search.row);
    if (seat.ok()) base.seat = std::move(*seat);
    hosting = try_hosting(directory);
  }
  if (hosting == Hosting::inhabited && search.inhabited.empty()) search.inhabited = directory;
  if (hosting != Hosting::possible) return std::nullopt;
  return base;
}

}  // namespace

std::optional<Cgroup2Mount> cgroup2_mount(std::string_view mountinfo) {
  for (const std::string_view line : split(mountinfo, '\n')) {
    const std::vector<std::string> words = words_of(line);
    for (std::size_t index = 6; index + 1 < words.size(); ++index) {
      if (words[index] == "-" && words[index + 1] == "cgroup2")
        return Cgroup2Mount{unescaped(words[3]), unescaped(words[4])};
    }
  }
  return std::nullopt;
}

std::optional<fs::path> own_cgroup(std::string_view proc_cgroup) {
  for (const std::string_view line : split(proc_cgroup, '\n')) {
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

CgroupBase find_cgroup_base(std::shared_ptr<CgroupRow> row) {
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
  // Another seat of this process is not a place to sit down in.
  const bool seated = *place == seat_in(place->parent_path());
  const auto upwards = from_to(seated ? place->parent_path() : *place, mount->point);
  for (const fs::path& directory : upwards) clear_left(directory);
  Search search{mount->point, std::move(row)};
  for (const fs::path& directory : upwards) {
    if (auto base = try_base(directory, search)) return std::move(*base);
  }
  return {{}, explain(search, mount->point, version_one), {}};
}

std::string controllers_missing_in(const fs::path& directory) {
  const auto given = listed(directory / "cgroup.subtree_control", kWanted);
  std::string missing;
  for (const std::string_view wanted : kWanted) {
    if (std::ranges::find(given, wanted) != given.end()) continue;
    missing.append(missing.empty() ? "" : " ").append(wanted);
  }
  return missing;
}

std::string controllers_unknown_to(const fs::path& mount, std::string_view controllers) {
  const std::vector<std::string> offered = words_of_cgroup_file(mount / "cgroup.controllers");
  std::string unknown;
  for (const std::string& word : words_of(controllers)) {
    if (std::ranges::find(offered, word) != offered.end()) continue;
    unknown.append(unknown.empty() ? "" : " ").append(word);
  }
  return unknown;
}

std::optional<fs::path> unified_mount() {
  const auto mount = cgroup2_mount(text_of_file("/proc/self/mountinfo"));
  if (!mount) return std::nullopt;
  const auto offered = listed(mount->point / "cgroup.controllers", kNeeded);
  return offered.size() < kNeeded.size() ? std::nullopt : std::optional(mount->point);
}

std::optional<fs::path> cgroup_of(pid_t pid) {
  return own_cgroup(text_of_file("/proc/" + std::to_string(pid) + "/cgroup"));
}

CgroupBase cgroup_base_of(pid_t pid, std::shared_ptr<CgroupRow> row) {
  const auto mount = cgroup2_mount(text_of_file("/proc/self/mountinfo"));
  const auto cgroup = cgroup_of(pid);
  const auto place = mount && cgroup ? directory_of(*cgroup, *mount) : std::nullopt;
  if (!place) return {{}, "the spawner is in no cgroup that is mounted here", {}};
  const fs::path leaf = seat_in(*place);
  if (::mkdir(leaf.c_str(), 0755) != 0 ||
      write_cgroup_file(leaf / "cgroup.procs", std::to_string(pid)) != 0) {
    return {{}, os::last_error("moving the spawner into cgroup " + leaf.string()).message(), {}};
  }
  const Hosting hosting = try_hosting(*place);
  if (hosting == Hosting::possible) return {*place, "", {}, false, std::move(row)};
  return {{}, "cgroup " + place->string() + ": " + in_words(hosting), {}};
}

}  // namespace lazaret::backend::native
