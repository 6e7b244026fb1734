#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include "bench/groups.hpp"
#include "bench/peers.hpp"
#include "bench/sandboxes.hpp"
#include "places.hpp"

namespace lazaret::bench {
namespace {

using Words = std::vector<std::string>;

const Program kExec = {{test::kLazaretPath, "exec", "--quiet", "--no-daemon", "--", "true"}};

std::function<void()> in(const CodeSandbox& sandbox, const ExecutionRequest& request) {
  return [&sandbox, request] { must_succeed(sandbox, request); };
}

// In KiB: "VmHWM:" is a process's peak, "VmRSS:" what it has now (proc(5), status).
double kib_of(const std::string& process, std::string_view field) {
  std::ifstream status("/proc/" + process + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) return std::stod(line.substr(field.size()));
  }
  return 0;
}
double own_kib(std::string_view field) { return kib_of("self", field); }

// Of this process and the spawners that it has started by whichever thread.
double family_kib() {
  double sum = own_kib("VmRSS:");
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream children(thread.path() / "children");
    for (std::string child; children >> child;) sum += kib_of(child, "VmRSS:");
  }
  return sum;
}

void add_flood(Group& group) {
  constexpr std::size_t kGibibyte = 1UL << 30;
  const CodeSandbox sandbox = sandbox_on(kNative);
  ExecutionRequest request = command({"dd", "if=/dev/zero", "bs=1M", "count=1024", "status=none"});
  request.limits.timeout = std::chrono::seconds(100);
  std::ofstream("/proc/self/clear_refs") << "5";  // proc(5): the peak begins anew
  const double before = own_kib("VmHWM:");
  const double time = milliseconds_of([&] {
    const ExecutionResult result = sandbox.execute(request);
    if (!result.success() || result.meta.output.stdout_bytes != kGibibyte)
      throw Failure("1 GiB of output did not come through whole");
  });
  group.figures.push_back({"1 GiB of output: growth of memory", (own_kib("VmHWM:") - before) / 1024,
                           "MiB", at_most(8)});
  const double rate = static_cast<double>(kGibibyte) / 1e6 / time;
  group.figures.push_back({"1 GiB of output: rate", rate, "GB/s", at_least(1.5)});
}

// What ours adds to the bare program, of what the peer adds to it.
void add_part(Group& group, const std::string& ours, const std::string& peer) {
  const Timing* const bare = group.timing("/bin/true");
  const Timing* const other = group.timing(peer);
  if (bare == nullptr || other == nullptr) return;
  const double part =
      (group.timing(ours)->p50() - bare->p50()) / (other->p50() - bare->p50()) * 100;
  group.figures.push_back(
      {"what the library adds, of what bubblewrap adds", part, "%", at_most(25)});
}

// As many runs as the machine makes, in each of this many threads.
void run_in_threads(const CodeSandbox& sandbox, unsigned threads, int runs_of_each) {
  std::atomic<int> failed = 0;
  std::vector<std::jthread> all;
  for (unsigned index = 0; index < threads; ++index) {
    all.emplace_back([&sandbox, &failed, runs_of_each] {
      for (int run = 0; run < runs_of_each && !interrupted(); ++run)
        failed += sandbox.execute(command({"true"})).success() ? 0 : 1;
    });
  }
  all.clear();
  if (failed > 0 || interrupted()) throw Failure("native runs on all processors");
}

// A run waits often, so that it takes several threads to keep a processor busy.
unsigned busy_threads() { return 4 * std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace

Group start_group(int rounds) {
  Group group{.title = "start of a program"};
  group.timings = in_turns(rounds, {{"/bin/true", Who::bare, running({{"/bin/true"}})},
                                    {"lazaret --version", Who::ours, [] {
                                       (void)run_program({{test::kLazaretPath, "--version"}});
                                     }}});
  group.add_difference("lazaret --version", "/bin/true", at_most(5));
  return group;
}

Group true_group(int rounds) {
  const CodeSandbox kept = sandbox_on(kNative), poolless = sandbox_on(kNative, Ahead::nothing);
  const Candidate peer = bubblewrap({"true"}, "");
  Group group{.title = "native: true"};
  group.timings = in_turns(
      rounds,
      {{"/bin/true", Who::bare, running({{"/bin/true"}})},
       {"library, a sandbox that is kept", Who::ours, in(kept, command({"true"}))},
       {"library, a box made when it is asked for", Who::ours, in(poolless, command({"true"}))},
       {"library, first run of a sandbox", Who::ours,
        [] { must_succeed(sandbox_on(kNative), command({"true"})); }},
       {"lazaret exec", Who::ours, running(kExec)},
       peer,
       nsjail({"true"}, ""),
       isolate({"true"}, "")});
  group.add_ratio("library, a box made when it is asked for", peer.name, at_most(1));
  group.add_ratio("lazaret exec", peer.name, at_most(1));
  group.add_ratio("library, first run of a sandbox", peer.name, at_most(1));
  group.add_difference("library, a sandbox that is kept", "/bin/true", at_most(1));
  add_part(group, "library, a sandbox that is kept", peer.name);
  for (const char* const now :
       {"library, a box made when it is asked for", "lazaret exec", "bubblewrap"})
    group.add_difference(now, "/bin/true");
  return group;
}

Group rate_group(int) {
  constexpr int kRuns = 500;
  const CodeSandbox sandbox = sandbox_on(kNative);
  const unsigned threads = busy_threads();
  const double time = milliseconds_of([&] { run_in_threads(sandbox, threads, kRuns); });
  Group group{.title = "native: true, on all processors"};
  group.figures = {{"library, " + std::to_string(threads) + " threads",
                    kRuns * threads / time * 1000, "runs/s", at_least(800)}};
  return group;
}

// 100,000 runs, whatever the rounds, weighed with the spawners. What a tenth of them has needed is
// no growth.
Group endurance_group(int) {
  constexpr int kTenth = 10'000;
  const unsigned threads = busy_threads();
  const int tenth = kTenth / static_cast<int>(threads);
  const CodeSandbox sandbox = sandbox_on(kNative);
  run_in_threads(sandbox, threads, tenth);
  const double before = family_kib();
  run_in_threads(sandbox, threads, 9 * tenth);
  Group group{.title = "native: true, again and again"};
  group.figures = {
      {"memory after " + std::to_string(10 * tenth * static_cast<int>(threads)) + " runs, more",
       (family_kib() - before) / 1024, "MiB", at_most(1)}};
  return group;
}

// The interpreter alone, without what our driver adds for values and errors.
Group python_group(int rounds) {
  const Words words = {"/usr/bin/python3", "-I", "-S", "-c", "print(1)"};
  const CodeSandbox sandbox = sandbox_on(kNative);
  Group group{.title = "native: python3 -I -S -c 'print(1)' as a command"};
  group.timings = in_turns(rounds, {{"bare", Who::bare, running({words}, "1\n")},
                                    {"library", Who::ours, in(sandbox, command(words))}});
  group.add_difference("library", "bare", at_most(1.5));
  return group;
}

// What comes after the time that the program was given: killing all of it and knowing that.
Group kill_group(int rounds) {
  constexpr std::chrono::milliseconds kTimeout{60}, kGrace{20};
  const CodeSandbox sandbox = sandbox_on(kNative);
  ExecutionRequest request =
      command({"sh", "-c", "trap '' TERM; setsid sleep 30 & while :; do sleep 30; done"});
  request.limits.timeout = kTimeout;
  request.limits.grace = kGrace;
  const auto kill = [&] {
    const ExecutionResult result = sandbox.execute(request);
    const bool dead = result.meta.kill && result.meta.kill->survivors == 0;
    if (result.meta.cause != Cause::timeout || !dead) throw Failure("a kill: " + to_json(result));
  };
  const std::string name = "from the end of the grace to the result";
  Group group{.title = "native: a program that ignores TERM, ended after its time"};
  group.timings = in_turns(rounds, {{name, Who::ours, kill}});
  for (double& time : group.timings[0].ms) time -= static_cast<double>((kTimeout + kGrace).count());
  group.add_quantile(name, 0.99, at_most(50));
  return group;
}

Group memory_group(int) {
  Group group{.title = "memory"};
  const double peak = static_cast<double>(run_program(kExec).peak_kib) / 1024;
  group.figures = {{"peak of lazaret exec", peak, "MiB", at_most(20)}};
  add_flood(group);
  return group;
}

}  // namespace lazaret::bench
