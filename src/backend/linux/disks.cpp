#include "backend/linux/disks.hpp"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
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

// statfs(2).
std::string type_at(const char* path) {
  constexpr long kTmpfs = 0x01021994, kRamfs = 0x858458f6;
  struct statfs facts {};
  const bool seen = ::statfs(path, &facts) == 0;
  return seen && (facts.f_type == kTmpfs || facts.f_type == kRamfs) ? "tmpfs" : "";
}

bool is_memory(const std::string& type) {
  return type == "tmpfs" || type == "ramfs" || type == "rootfs" || type == "devtmpfs";
}

void add(const Beneath& found, Disks& to) {
  const std::string disk = disk_of(found.device);
  if (disk.empty())
    to.has_others = to.has_others || !is_memory(found.type);
  else if (std::ranges::find(to.named, disk) == to.named.end())
    to.named.push_back(disk);
}

// Nothing where it is gone.
std::optional<Beneath> mount_of(const char* path) {
  struct stat facts {};
  if (::stat(path, &facts) != 0) return std::nullopt;
  return Beneath{std::to_string(major(facts.st_dev)) + ":" + std::to_string(minor(facts.st_dev)),
                 type_at(path)};
}

}  // namespace

std::vector<Beneath> mounts_beneath(std::string_view source, std::string_view mountinfo) {
  std::vector<Beneath> found;
  std::istringstream lines{std::string(mountinfo)};
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> words = words_of(line);
    const auto dash = std::ranges::find(words, "-");
    if (words.end() - dash < 2 || dash - words.begin() < 6) continue;
    if (words[4].compare(0, source.size(), source) != 0) continue;
    if (words[4].size() == source.size() || words[4][source.size()] == '/')
      found.push_back({words[2], dash[1]});
  }
  return found;
}

Disks disks_behind_tree(const Foundation& foundation) {
  const std::string mountinfo = text_of_file("/proc/self/mountinfo");
  Disks behind;
  for (std::size_t index = 0; index < foundation.entry_count; ++index) {
    const TreeEntry& entry = foundation.entries[index];
    const char* const source = entry.source.data();
    if (entry.kind != TreeEntry::Kind::bind) continue;
    if (const auto mount = mount_of(source)) add(*mount, behind);
    for (const Beneath& mount : mounts_beneath(source, mountinfo)) add(mount, behind);
  }
  return behind;
}

Disks with_folders(const Disks& tree, const Foundation& foundation) {
  Disks behind = tree;
  for (std::size_t index = 0; index < foundation.folder_count; ++index) {
    if (const auto mount = mount_of(foundation.folders[index].source.data())) add(*mount, behind);
  }
  return behind;
}

Reading unlimited_reading(const std::string& why, const char* source) {
  return {Control::disk, EvidenceStatus::partial, "the rate of disks is not limited: " + why,
          source};
}

}  // namespace lazaret::backend::native
