#include "backend/linux/cgroup_directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fstream>
#include <iterator>

#include "backend/report.hpp"
#include "base/number.hpp"
#include "base/split.hpp"
#include "base/try.hpp"
#include "os/error.hpp"
#include "os/handle.hpp"
#include "os/linux/wait.hpp"

namespace lazaret::backend::native {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "lazaret-";
constexpr const char* kSeat = "self";
constexpr std::chrono::milliseconds kRemoveRetry{5};

// Of this process, which a fork of it is not. Read once by each thread: a run needs it several
// times.
const std::string& own_mark() {
  thread_local pid_t process = 0;
  thread_local std::string mark;
  if (process != ::getpid()) {
    const std::string started = journal::own_start();
    mark = journal::own_namespaces() + "-" + (started.empty() ? "0" : started);
    process = ::getpid();
  }
  return mark;
}

std::string own_name(const std::string& what) {
  return kPrefix + std::to_string(::getpid()) + "-" + what + "-" + own_mark();
}

}  // namespace

std::vector<std::string> words_of_cgroup_file(const fs::path& path) {
  std::ifstream file(path);
  return {std::istream_iterator<std::string>(file), {}};
}

int write_cgroup_file(const fs::path& path, std::string_view text) {
  const os::Handle file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.valid()) return errno;
  return ::write(file.get(), text.data(), text.size()) < 0 ? errno : 0;
}

bool holds_nobody_else(const fs::path& directory) {
  const std::vector<std::string> pids = words_of_cgroup_file(directory / "cgroup.procs");
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

std::optional<CgroupName> parse_cgroup_name(std::string_view name) {
  const std::vector<std::string_view> parts = split(name, '-');
  constexpr std::size_t kParts = 5;
  if (parts.size() != kParts || !name.starts_with(kPrefix)) return std::nullopt;
  const auto pid = parse_number(parts[1]);
  const bool is_seat = parts[2] == kSeat;
  const bool numbered = is_seat || parse_number(parts[2]);
  if (!pid || !numbered || !parse_number(parts[4])) return std::nullopt;
  return CgroupName{*pid, std::string(parts[3]), std::string(parts[4]), is_seat};
}

// A cgroup ends with the machine's run, so that it is this one's.
journal::Standing standing_of(const CgroupName& name, const fs::path& directory) {
  struct stat facts {};
  journal::Owner owner;
  const journal::Owner here = journal::this_process();
  if (::lstat(directory.c_str(), &facts) != 0) return journal::Standing::unknown;
  owner.pid = static_cast<std::uint32_t>(name.pid);
  owner.started = name.started;
  owner.boot = here.boot;
  owner.namespaces = name.namespaces;
  owner.user = facts.st_uid;
  return journal::standing_of(owner, here);
}

std::uint64_t own_pid_namespace() {
  struct stat facts {};
  return ::stat("/proc/self/ns/pid", &facts) == 0 ? facts.st_ino : 0;
}

std::string own_cgroups() { return own_name("*"); }

fs::path seat_in(const fs::path& directory) { return directory / own_name(kSeat); }

std::string scope_name(pid_t pid) {
  return kPrefix + std::to_string(pid) + "-" + std::to_string(own_pid_namespace()) + ".scope";
}

// WHY not only the counter: each copy of this library in a process has its own, and a process that
// had our number and was killed may have left some. Neither is ours to touch.
Result<fs::path> make_cgroup(const fs::path& parent) {
  static std::atomic<unsigned> next{0};
  for (;;) {
    fs::path path = parent / own_name(std::to_string(next++));
    if (::mkdir(path.c_str(), 0755) == 0) return path;
    if (errno != EEXIST) return os::last_error("making cgroup " + path.string());
  }
}

Status remove_cgroup(const fs::path& directory, const Call& call) {
  // Not there before Linux 5.14: then the end of the pid namespace has ended all of it.
  (void)write_cgroup_file(directory / "cgroup.kill", "1");
  // rmdir(2) says EBUSY until the last process is gone (P-52).
  while (::rmdir(directory.c_str()) != 0) {
    if (errno == ENOENT) return {};
    if (errno != EBUSY) return os::last_error("removing cgroup " + directory.string());
    LAZARET_CHECK(call.check());
    (void)os::wait_any({}, Call{}.within(kRemoveRetry)).ok();
  }
  return {};
}

Status remove_left(const fs::path& directory, const CgroupName& name, const Call& call) {
  if (!name.is_seat) return remove_cgroup(directory, call);
  if (::rmdir(directory.c_str()) != 0 && errno != ENOENT)
    return os::last_error("removing cgroup " + directory.string());
  return {};
}

}  // namespace lazaret::backend::native
