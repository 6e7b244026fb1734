#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>

#include "bench/groups.hpp"
#include "bench/sandboxes.hpp"
#include "endings.hpp"

// Programs that end badly, again and again: what of them is still there afterwards.
namespace lazaret::bench {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr unsigned kRuns = 10'000;

// Of a process and of all that it has started, zombies among them, whichever thread has.
void add_descendants(const std::string& process, std::set<std::string>& all) {
  std::error_code gone;
  for (const auto& thread : fs::directory_iterator("/proc/" + process + "/task", gone)) {
    std::ifstream children(thread.path() / "children");
    for (std::string child; children >> child;) {
      if (all.insert(child).second) add_descendants(child, all);
    }
  }
}

std::size_t descendants() {
  std::set<std::string> all;
  add_descendants("self", all);
  return all.size();
}

std::size_t entries_of(const char* directory) {
  const fs::directory_iterator entries(directory);
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

std::size_t mounts() {
  std::ifstream table("/proc/self/mountinfo");
  std::size_t count = 0;
  for (std::string line; std::getline(table, line);) ++count;
  return count;
}

// Where what is outside of a box could stay.
std::size_t files() {
  std::size_t count = 0;
  for (const fs::path& directory : {fs::temp_directory_path(), fs::path("/dev/shm")})
    count += entries_of(directory.c_str());
  return count;
}

// Of boxes, wherever in the hierarchy their base is.
std::size_t cgroups() {
  std::error_code ignored;
  fs::recursive_directory_iterator all("/sys/fs/cgroup",
                                       fs::directory_options::skip_permission_denied, ignored);
  std::size_t count = 0;
  for (; all != fs::end(all); all.increment(ignored))
    count += all->path().filename().string().starts_with("lazaret-") ? 1 : 0;
  return count;
}

struct Traces {
  std::size_t processes, descriptors, mounts, files, cgroups;
};
Traces traces() {
  return {descendants(), entries_of("/proc/self/fd"), mounts(), files(), cgroups()};
}

// Boxes leave in the background: until what was there before is all there is, or too late.
Traces traces_down_to(const Traces& before) {
  const auto end = std::chrono::steady_clock::now() + 20s;
  for (;; std::this_thread::sleep_for(50ms)) {
    const Traces now = traces();
    const bool is_clean = now.processes <= before.processes &&
                          now.descriptors <= before.descriptors && now.mounts <= before.mounts &&
                          now.files <= before.files && now.cgroups <= before.cgroups;
    if (is_clean || std::chrono::steady_clock::now() > end) return now;
  }
}

double more(std::size_t after, std::size_t before) {
  return static_cast<double>(after) - static_cast<double>(before);
}

}  // namespace

// In pieces, between which an interrupt is heard.
test::Endings run_all(const CodeSandbox& sandbox) {
  constexpr unsigned kPiece = 200;
  test::Endings all;
  while (all.runs < kRuns) {
    if (interrupted()) throw Failure("interrupted");
    const test::Endings piece = test::run_endings(sandbox, kPiece);
    all.runs += piece.runs;
    all.survivors += piece.survivors;
    all.unexpected += piece.unexpected;
    if (all.first.empty()) all.first = piece.first;
    all.late_ms.insert(all.late_ms.end(), piece.late_ms.begin(), piece.late_ms.end());
  }
  return all;
}

// 10,000, whatever the rounds. The first hundred bring what stays for the next.
Group endings_group(int) {
  const CodeSandbox sandbox = sandbox_on(kNative, Ahead::nothing);
  (void)test::run_endings(sandbox, 100);
  std::this_thread::sleep_for(2s);
  const Traces before = traces();
  test::Endings all;
  const double time = milliseconds_of([&] { all = run_all(sandbox); });
  const Timing late{.name = "late", .ms = std::move(all.late_ms)};
  if (all.unexpected > 0) std::fprintf(stderr, "%s\n", all.first.c_str());
  const Traces after = traces_down_to(before);
  Group group{.title = "native: programs that end in every bad way"};
  group.figures = {{"runs", static_cast<double>(all.runs), "", at_least(kRuns)},
                   {"in", time / 1000, "s"},
                   {"from the end of the time, or of the grace, to the result, p99",
                    late.quantile(0.99), "ms", at_most(50)},
                   {"with another cause or output", static_cast<double>(all.unexpected), "",
                    at_most(0)},
                   {"survivors", static_cast<double>(all.survivors), "", at_most(0)},
                   {"processes left", more(after.processes, before.processes), "", at_most(0)},
                   {"descriptors left", more(after.descriptors, before.descriptors), "",
                    at_most(0)},
                   {"mounts left", more(after.mounts, before.mounts), "", at_most(0)},
                   {"files left", more(after.files, before.files), "", at_most(0)},
                   {"cgroups left", more(after.cgroups, before.cgroups), "", at_most(0)}};
  return group;
}

}  // namespace lazaret::bench
