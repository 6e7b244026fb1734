#include "integration/spawners.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <map>
#include <sstream>

#include "integration/support.hpp"

namespace lazaret::test {
namespace {

namespace fs = std::filesystem;

std::string folder_of(pid_t process) { return "/proc/" + std::to_string(process) + "/"; }

// proc(5): what stat says from its third word on; the second may hold spaces.
std::istringstream stat_of(pid_t process) {
  const std::string stat = file_text(folder_of(process) + "stat");
  const std::size_t end = stat.rfind(") ");
  return std::istringstream(end == std::string::npos ? std::string() : stat.substr(end + 2));
}

std::vector<pid_t> numbers_in_proc() {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") == std::string::npos)
      found.push_back(static_cast<pid_t>(std::stol(name)));
  }
  return found;
}

}  // namespace

pid_t parent_of(pid_t process) {
  std::istringstream words = stat_of(process);
  std::string state;
  pid_t parent = 0;
  words >> state >> parent;
  return parent;
}

std::vector<pid_t> descendants_of(pid_t process) {
  std::multimap<pid_t, pid_t> children;
  for (const pid_t each : numbers_in_proc()) children.emplace(parent_of(each), each);
  std::vector<pid_t> found = {process};
  for (std::size_t next = 0; next < found.size(); ++next) {
    const auto [first, last] = children.equal_range(found[next]);
    for (auto child = first; child != last; ++child) found.push_back(child->second);
  }
  found.erase(found.begin());
  return found;
}

// utime and stime, the 14th word and the next.
std::chrono::milliseconds used_by(const std::vector<pid_t>& processes) {
  long ticks = 0;
  for (const pid_t process : processes) {
    std::istringstream words = stat_of(process);
    std::string word;
    for (int skipped = 3; skipped < 14; ++skipped) words >> word;
    long user = 0, system = 0;
    words >> user >> system;
    ticks += user + system;
  }
  return std::chrono::milliseconds(1000 * ticks / ::sysconf(_SC_CLK_TCK));
}

std::vector<pid_t> spawners_of(pid_t caller) {
  std::vector<pid_t> found;
  for (const pid_t process : numbers_in_proc()) {
    if (!file_text(folder_of(process) + "cmdline").starts_with("lazaret-spawner")) continue;
    const pid_t parent = parent_of(process);
    if (parent == caller || parent_of(parent) == caller) found.push_back(process);
  }
  return found;
}

bool are_gone(const std::vector<pid_t>& processes) {
  // Not its command line: that is gone before what dies with it, such as all of its pid namespace.
  return std::all_of(processes.begin(), processes.end(), [](pid_t process) {
    const std::string stat = file_text(folder_of(process) + "stat");
    const std::size_t name_end = stat.rfind(") ");
    return name_end == std::string::npos || stat[name_end + 2] == 'Z';
  });
}

void signal_all(const std::vector<pid_t>& processes, int signal) {
  for (const pid_t process : processes) ::kill(process, signal);
}

std::size_t children_of(pid_t process) {
  std::istringstream words(
      file_text(folder_of(process) + "task/" + std::to_string(process) + "/children"));
  return static_cast<std::size_t>(std::distance(std::istream_iterator<std::string>(words), {}));
}

std::size_t descriptors_of(pid_t process) {
  std::error_code ignored;
  const fs::directory_iterator entries(folder_of(process) + "fd", ignored);
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

std::size_t resident_kib(pid_t process) {
  std::istringstream lines(file_text(folder_of(process) + "status"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("VmRSS:")) return std::stoul(line.substr(6));
  }
  return 0;
}

}  // namespace lazaret::test
