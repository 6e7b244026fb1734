#include "backend/linux/disks.hpp"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "backend/report.hpp"
#include "base/file.hpp"

namespace lazaret::backend::native {
namespace {

namespace fs = std::filesystem;

// sysfs(5): a partition's directory lies in that of its disk. Empty when it is no disk at all.
std::string disk_of(const std::string& device) {
  std::error_code error;
  fs::path folder = fs::canonical("/sys/dev/block/" + device, error);
  if (error) return "";
  if (fs::exists(folder / "partition", error)) folder = folder.parent_path();
  std::string number;
  std::ifstream(folder / "dev") >> number;
  return number;
}

}  // namespace

std::vector<std::string> devices_beneath(std::string_view source, std::string_view mountinfo) {
  std::vector<std::string> devices;
  std::istringstream lines{std::string(mountinfo)};
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() < 5 || words[4].compare(0, source.size(), source) != 0) continue;
    if (words[4].size() == source.size() || words[4][source.size()] == '/')
      devices.push_back(words[2]);
  }
  return devices;
}

// What is mounted beneath a source comes with it.
std::vector<std::string> disks_behind(const Foundation& foundation) {
  const std::string mountinfo = text_of_file("/proc/self/mountinfo");
  std::set<std::string> devices;
  for (std::size_t index = 0; index < foundation.entry_count; ++index) {
    const TreeEntry& entry = foundation.entries[index];
    struct stat facts {};
    if (entry.kind != TreeEntry::Kind::bind || ::stat(entry.source.data(), &facts) != 0) continue;
    devices.insert(std::to_string(major(facts.st_dev)) + ":" + std::to_string(minor(facts.st_dev)));
    for (std::string& device : devices_beneath(entry.source.data(), mountinfo))
      devices.insert(std::move(device));
  }
  std::set<std::string> disks;
  for (const std::string& device : devices) disks.insert(disk_of(device));
  disks.erase("");
  return {disks.begin(), disks.end()};
}

}  // namespace lazaret::backend::native
