#include "integration/spawners.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "integration/support.hpp"

namespace lazaret::test {
namespace {

namespace fs = std::filesystem;

std::string folder_of(pid_t process) { return "/proc/" + std::to_string(process) + "/"; }

// proc(5): the fourth word of stat; the second may hold spaces.
pid_t parent_of(pid_t process) {
  const std::string stat = file_text(folder_of(process) + "stat");
  const std::size_t end = stat.rfind(')');
  return end == std::string::npos ? 0 : static_cast<pid_t>(std::stol(stat.substr(end + 4)));
}

}  // namespace

std::vector<pid_t> spawners_of(pid_t caller) {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (!file_text(entry.path() / "cmdline").starts_with("lazaret-spawner")) continue;
    const auto process = static_cast<pid_t>(std::stol(name));
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
