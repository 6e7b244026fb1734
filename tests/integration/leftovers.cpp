#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "engine/client.hpp"
#include "engine/container.hpp"
#include "engine/discovery.hpp"
#include "engine/volume.hpp"
#include "integration/support.hpp"

// What a run may have left behind, wherever it could lie.
namespace lazaret::test {
namespace {

namespace fs = std::filesystem;

std::set<std::string> names_in(const std::vector<std::string>& directories) {
  std::set<std::string> names;
  std::error_code ignored;
  for (const std::string& directory : directories) {
    for (const auto& entry : fs::directory_iterator(directory, ignored)) names.insert(entry.path());
  }
  return names;
}

std::set<std::string> lines_of(const std::string& path) {
  std::set<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.insert(line);
  return lines;
}

bool is_ours(const std::string& cgroup) { return cgroup.starts_with("lazaret-"); }

// Podman's "libpod-…"; Docker calls it as the container.
bool is_an_engines(const std::string& cgroup) {
  const bool is_id =
      cgroup.size() == 64 && cgroup.find_first_not_of("0123456789abcdef") == std::string::npos;
  return is_id || cgroup.starts_with("libpod-");
}

// Engines remove theirs while we look.
std::set<std::string> cgroups_below(const fs::path& directory, bool (*wanted)(const std::string&)) {
  std::set<std::string> found;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator(directory, gone)) {
    if (entry.is_symlink(gone) || !entry.is_directory(gone)) continue;
    if (wanted(entry.path().filename())) found.insert(entry.path());
    found.merge(cgroups_below(entry.path(), wanted));
  }
  return found;
}

std::size_t children_of_ours() {
  std::istringstream words(file_text("/proc/thread-self/children"));
  return static_cast<std::size_t>(std::distance(std::istream_iterator<std::string>(words), {}));
}

bool are_ours(const std::map<std::string, std::string>& labels) {
  return std::ranges::any_of(
      labels, [](const auto& label) { return label.first.find("lazaret") != std::string::npos; });
}

template <typename T>
T must(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().message());
  return std::move(result).value();
}

void count_in_engine(const std::string& endpoint, Leftovers& left) {
  const Call call = Call{}.within(std::chrono::seconds(20));
  auto dialer = must(engine::default_dialer(endpoint));
  const auto client = must(engine::EngineClient::negotiate(std::move(dialer), {}, call));
  const auto containers = must(engine::container::list(client, {}, call));
  left.containers += static_cast<std::size_t>(std::ranges::count_if(
      containers, [](const auto& container) { return are_ours(container.labels); }));
  const auto volumes = must(engine::volume::list(client, {}, call));
  for (const engine::volume::Volume& volume : volumes) {
    if (are_ours(volume.labels)) left.volumes.insert(volume.name);
  }
}

// Podman binds its store's directory onto itself while any of its processes uses the store, and
// those end when they please. What a container has mounted lies below it.
bool is_store_of_podman(const std::string& mount) {
  std::istringstream words(mount);
  std::string number, parent, device, root, point;
  words >> number >> parent >> device >> root >> point;
  return root == point && point.ends_with("/overlay");
}

}  // namespace

Leftovers leftovers(const std::string& backend) {
  Leftovers left;
  std::error_code ignored;
  left.files =
      names_in({"/tmp", "/var/tmp", "/run", "/dev/shm", fs::temp_directory_path(ignored).string()});
  left.mounts = lines_of("/proc/self/mountinfo");
  std::erase_if(left.mounts, is_store_of_podman);
  left.cgroups = cgroups_below("/sys/fs/cgroup", is_ours);
  left.engines_cgroups = cgroups_below("/sys/fs/cgroup", is_an_engines);
  left.descriptors = names_in({"/proc/self/fd"}).size();
  left.children = children_of_ours();
  const auto options = options_for(backend);
  if (options && options->host) count_in_engine(*options->host, left);
  return left;
}

std::vector<std::string> named_as_ours(std::vector<std::string> paths) {
  std::erase_if(paths, [](const fs::path& path) {
    return path.filename().string().find("lazaret") == std::string::npos;
  });
  return paths;
}

std::vector<std::string> added(const std::set<std::string>& before,
                               const std::set<std::string>& after) {
  std::vector<std::string> names;
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                      std::back_inserter(names));
  return names;
}

}  // namespace lazaret::test
