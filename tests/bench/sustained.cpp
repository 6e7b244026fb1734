#include <algorithm>
#include <future>
#include <thread>

#include "bench/bare_calls.hpp"
#include "bench/daemon.hpp"
#include "bench/groups.hpp"
#include "bench/peers.hpp"

// One run after another without a pause: no pool helps then, only that we add little.
namespace lazaret::bench {
namespace {

using Work = std::function<void()>;
using Clock = std::chrono::steady_clock;

// What was made ahead before the first run is used up by then; what is counted had to be made.
constexpr std::chrono::milliseconds kBefore{2000};
constexpr std::chrono::milliseconds kBlock{6000};

struct Count {
  double runs = 0;
  double ms = 0;
  [[nodiscard]] double rate() const { return runs / ms * 1000; }
};

// One caller's, each run beginning when the one before has ended.
double runs_of_one(const Work& work, Clock::time_point from) {
  double runs = 0;
  while (Clock::now() < from + kBlock && !interrupted()) {
    work();
    runs += Clock::now() < from ? 0 : 1;
  }
  return runs;
}

Count block(unsigned callers, const Work& work) {
  const auto from = Clock::now() + kBefore;
  std::vector<std::future<double>> all;
  for (unsigned caller = 0; caller < callers; ++caller)
    all.push_back(std::async(std::launch::async, runs_of_one, work, from));
  Count count;
  for (auto& runs : all) count.runs += runs.get();
  count.ms = std::chrono::duration<double, std::milli>(Clock::now() - from).count();
  if (interrupted()) throw Failure("interrupted");
  return count;
}

// A daemon of its own: what it has made ahead and not yet removed is gone before the next block.
Count by_daemon(unsigned callers, const Engine& engine, const char* most = nullptr) {
  auto words = configuration(engine.type, engine.endpoint);
  if (most != nullptr) words.emplace_back("LAZARET_POOL_MOST=" + std::string(most));
  const Daemon daemon(std::move(words));
  return block(callers, [&daemon] { (void)daemon.run(kPrintOne); });
}

Count by_engine(unsigned callers, const engine::EngineClient& client) {
  return block(callers, [&client] {
    bare_calls(client, kPythonImage, {"python3", "-I", "-c", "print(1)"});
  });
}

void add(Count& sum, const Count& count) { sum.runs += count.runs, sum.ms += count.ms; }

std::string named(unsigned callers) {
  return callers == 1 ? "one caller" : std::to_string(callers) + " callers";
}

void add_rates(Group& group, const Engine& engine, unsigned callers, int blocks) {
  const auto client = client_of(engine);
  Count ours, bare;
  for (int turn = 0; turn < blocks; ++turn) {
    add(ours, by_daemon(callers, engine));
    add(bare, by_engine(callers, client));
  }
  const std::string label = named(callers);
  group.figures.push_back({label + ": ours, over the daemon", ours.rate(), "runs/s"});
  group.figures.push_back({label + ": the bare engine calls", bare.rate(), "runs/s"});
  group.figures.push_back(
      {label + ": ours, of the engine's", ours.rate() / bare.rate() * 100, "%", at_least(90)});
}

// What the pool costs where it cannot help.
void add_pool(Group& group, unsigned callers, int blocks) {
  Count with, without;
  for (int turn = 0; turn < blocks; ++turn) {
    add(with, by_daemon(callers, kNative));
    add(without, by_daemon(callers, kNative, "0"));
  }
  const std::string label = "natively, " + named(callers);
  group.figures.push_back({label + ": with a pool", with.rate(), "runs/s"});
  group.figures.push_back({label + ": without", without.rate(), "runs/s"});
  group.figures.push_back({label + ": with a pool, of that without",
                           with.rate() / without.rate() * 100, "%", at_least(95)});
}

}  // namespace

Group sustained_group(int rounds) {
  Group group{.title = "sustained: print(1) without a pause, on Docker and natively"};
  const Engine engine = docker_engine();
  group.missing = engine.missing();
  if (!group.missing.empty()) return group;
  const int blocks = std::clamp(rounds / 25, 2, 4);
  for (const unsigned callers : {1U, 2 * std::max(1U, std::thread::hardware_concurrency())}) {
    add_rates(group, engine, callers, blocks);
    add_pool(group, callers, blocks);
  }
  return group;
}

}  // namespace lazaret::bench
