#include "integration/shared_mounts.hpp"

#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "integration/support.hpp"

namespace lazaret::test {
namespace {

// Of the engines that other tests use at the same time: they mount at one place again and again,
// and the kernel gives one number again.
bool is_engines(const std::string& point) { return point.starts_with("/tmp/lazaret-test."); }

}  // namespace

SharedMounts::SharedMounts() : own_(of("self")), original_(of(std::to_string(::getppid()))) {}

SharedMounts::Mounts SharedMounts::of(const std::string& process) {
  std::istringstream lines(file_text("/proc/" + process + "/mountinfo"));
  Mounts all;
  for (std::string line, number, skipped, point; std::getline(lines, line);) {
    std::istringstream(line) >> number >> skipped >> skipped >> skipped >> point;
    all.emplace(number, point);
  }
  return all;
}

// WHY not all that is gone: whoever removes a directory takes away the mounts on it in all
// namespaces at once, ours too.
std::string SharedMounts::changed() const {
  const Mounts now = of("self"), original = of(std::to_string(::getppid()));
  const auto is_kept = [&](const std::string& point) {
    return std::ranges::any_of(original, [&](const auto& mount) {
      return mount.second == point && original_.contains(mount.first);
    });
  };
  std::string said = original.empty() || now.empty() ? "unknown\n" : "";
  for (const auto& [number, point] : now) {
    if (!own_.contains(number)) said += "new: " + point + "\n";
  }
  for (const auto& [number, point] : own_) {
    if (now.contains(number) || is_engines(point)) continue;
    if (is_kept(point)) said += "gone: " + point + "\n";
  }
  return said;
}

}  // namespace lazaret::test
