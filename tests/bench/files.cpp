#include <algorithm>
#include <filesystem>
#include <memory>

#include "bench/groups.hpp"
#include "bench/sandboxes.hpp"

// Sessions: how fast files come into a box and out of it.
namespace lazaret::bench {
namespace {

constexpr std::size_t kMebibytes = 100;

Session open(const Engine& engine) {
  SessionRequest request;
  request.limits.disk_bytes = 2 * kMebibytes << 20;
  request.limits.file_bytes = 2 * kMebibytes << 20;
  return must(sandbox_on(engine).open_session(request), "a session on " + engine.type);
}

// What is got is thrown away with its directory.
class Taken {
 public:
  [[nodiscard]] std::string path() const { return path_; }
  void clear() const { std::filesystem::remove_all(path_); }

 private:
  std::string path_ = std::filesystem::temp_directory_path() / "lazaret-bench-taken";
};

void add_speed(Group& group, const std::string& name, double asked) {
  const Timing* const timing = group.timing(name);
  if (timing == nullptr) return;
  constexpr double kMegabytes = kMebibytes * 1.048576;
  group.figures.push_back({name, kMegabytes / timing->p50() * 1000, "MB/s", at_least(asked)});
}

void add_engine(Group& group, const Engine& engine, int rounds, double asked) {
  if (!engine.missing().empty()) return;
  const std::string in = engine.type + ", 100 MiB in", out = engine.type + ", 100 MiB out";
  const Session session = open(engine);
  const std::vector<Input> file = {{"large", std::string(kMebibytes << 20, 'x'), {}, false}};
  const Taken taken;
  const auto put = [&] { must(session.put(file), in); };
  const auto get = [&] { (void)must(session.get(".", taken.path()), out); };
  for (Timing& timing :
       in_turns(rounds, {{in, Who::ours, put}, {out, Who::ours, get, [&taken] { taken.clear(); }}}))
    group.timings.push_back(std::move(timing));
  add_speed(group, in, asked);
  add_speed(group, out, asked);
}

}  // namespace

Group files_group(int rounds) {
  Group group{.title = "files of a session"};
  add_engine(group, kNative, std::max(rounds / 5, 3), 300);
  add_engine(group, docker_engine(), std::max(rounds / 5, 3), 150);
  return group;
}

}  // namespace lazaret::bench
