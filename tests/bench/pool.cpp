#include <algorithm>
#include <memory>
#include <optional>

#include "bench/groups.hpp"
#include "bench/sandboxes.hpp"

// A pool serves who comes back; who comes once, or for the first time, must not pay for it.
namespace lazaret::bench {
namespace {

constexpr double kNoise = 1.05;  // two medians of the same thing differ by as much

// A new sandbox and its first runs, one straight after another; its end is not measured.
Candidate first_runs(const std::string& name, const Engine& engine, int runs, Ahead ahead) {
  const auto sandbox = std::make_shared<std::optional<CodeSandbox>>();  // of work and after
  const auto work = [sandbox, engine, runs, ahead] {
    sandbox->emplace(sandbox_on(engine, ahead));
    for (int run = 0; run < runs; ++run) must_succeed(**sandbox, python("print(1)"));
  };
  return {name, Who::ours, work, [sandbox] { sandbox->reset(); }, engine.missing()};
}

}  // namespace

Group pool_group(int rounds) {
  std::vector<Candidate> all;
  std::vector<std::string> names;
  for (const Engine& engine : {kNative, docker_engine()}) {
    for (const int runs : {1, 4}) {
      const std::string backend = engine.type == kNative.type ? "native" : "Docker";
      names.push_back(backend + (runs == 1 ? ", first run" : ", first four runs"));
      all.push_back(first_runs(names.back(), engine, runs, Ahead::as_configured));
      all.push_back(first_runs(names.back() + " without a pool", engine, runs, Ahead::nothing));
    }
  }
  Group group{.title = "cold: what a pool costs who has just come"};
  group.timings = in_turns(std::max(rounds / 3, 3), all);
  for (const std::string& name : names)
    group.add_ratio(name, name + " without a pool", at_most(kNoise));
  return group;
}

}  // namespace lazaret::bench
