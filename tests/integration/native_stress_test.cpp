#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/spawners.hpp"
#include "integration/support.hpp"

// Many boxes that end in every way, at once and one after the other, in one process. The number of
// runs comes from LAZARET_STRESS_RUNS, for longer than a test may take.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;

constexpr unsigned kThreads = 8;
constexpr std::size_t kMostNetworks = 32;  // which a spawner keeps to use again
#ifdef LAZARET_SANITIZED                   // slow, and what a sanitizer keeps is not ours
constexpr unsigned kUsualRuns = kThreads * 50;
constexpr std::size_t kGrowthKib = 1U << 20;
#else
constexpr unsigned kUsualRuns = kThreads * 200;
constexpr std::size_t kGrowthKib = 512;
#endif

struct Ending {
  const char* name;
  const char* code;
  std::vector<std::string> causes;  // any of these
  std::string output;
};

const std::vector<Ending>& endings() {
  static const std::vector<Ending> all = {
      {"exits", "echo out; exit 3", {"nonzero_exit"}, "out\n"},
      {"crashes", "kill -SEGV $$", {"signalled"}, ""},
      {"takes too long", "exec sleep 30", {"timeout"}, ""},
      // Whose fork is refused, its own or a branch's, depends on who comes first.
      {"is a fork bomb",
       "b() { b | b & }; b; exec sleep 30",
       {"timeout", "pids_limit", "nonzero_exit"},
       ""},
      {"makes zombies",
       "for i in 1 2 3 4 5 6; do sh -c 'true & exec sleep 0.02' & done; wait; echo out",
       {"exited"},
       "out\n"},
      {"leaves a daemon",
       "setsid sh -c 'setsid sleep 300 &' & wait; echo out",
       {"exited"},
       "out\n"},
      {"ignores TERM", "trap '' TERM; while :; do sleep 1; done", {"timeout"}, ""},
      {"floods its output", "head -c 3000000 /dev/zero | tr '\\0' x >&2", {"exited"}, ""},
      {"writes too long a file",
       "exec dd if=/dev/zero of=/work/big bs=65536 count=64 status=none",
       {"file_size_limit"},
       ""},
      // Its own end, or the kernel's: what holds it depends on the machine.
      {"takes memory", "exec tail /dev/zero", {"memory_limit", "nonzero_exit"}, ""},
      {"spins", "while :; do :; done", {"timeout"}, ""},
      {"fills what it may write to",
       "i=0; while head -c 900000 /dev/zero >/work/$i; do i=$((i + 1)); done; exit 1",
       {"disk_limit"},
       ""},
      {"makes files without end",
       "i=0; while :; do : >/work/$i || exit 1; i=$((i + 1)); done",
       {"disk_limit"},
       ""},
      {"stops itself", "kill -STOP $$; echo never", {"timeout"}, ""},
      {"closes its output", "exec >&- 2>&- </dev/null; exit 0", {"exited"}, ""},
  };
  return all;
}

ExecutionRequest request_for(const Ending& ending) {
  ExecutionRequest request = command({"/bin/sh", "-c", ending.code});
  const bool is_slow = ending.causes.front() == "timeout";
  request.limits.timeout = is_slow ? 100ms : 20s;
  request.limits.grace = 20ms;
  request.limits.pids = 32;
  request.limits.file_bytes = 1 << 20;
  request.limits.memory_bytes = 64 << 20;
  request.limits.disk_bytes = 4 << 20;
  request.limits.disk_files = 256;
  return request;
}

// What is wrong with a result, or nothing.
std::string complaint(const Ending& ending, const Json& result) {
  const auto& causes = ending.causes;
  const bool known =
      std::find(causes.begin(), causes.end(), result["meta"]["cause"]) != causes.end();
  const bool clean = !result["meta"].contains("kill") || result["meta"]["kill"].is_null() ||
                     result["meta"]["kill"]["survivors"] == 0;
  if (known && clean && result["stdout"] == ending.output) return "";
  return std::string("one that ") + ending.name + ": " + result.dump();
}

// `runs` of them on eight threads; the first complaint.
std::string run_many(const CodeSandbox& sandbox, unsigned runs) {
  std::atomic<unsigned> next = 0;
  std::array<std::string, kThreads> complaints;
  std::vector<std::jthread> threads;
  for (std::string& said : complaints) {
    threads.emplace_back([&said, &next, &sandbox, runs] {
      for (unsigned number = next++; number < runs && said.empty(); number = next++) {
        const Ending& ending = endings()[number % endings().size()];
        said = complaint(ending, Json::parse(to_json(sandbox.execute(request_for(ending)))));
      }
    });
  }
  threads.clear();
  for (const std::string& said : complaints) {
    if (!said.empty()) return said;
  }
  return "";
}

// Of Lazaret and of its spawners' processes.
struct Weights {
  std::size_t descriptors = 0, children = 0, memory_kib = 0;
};

// Not what is resident: what the allocator keeps of what was freed, in an arena for each thread
// that there was, is no growth.
std::size_t allocated_kib() {
  const struct mallinfo2 all = ::mallinfo2();
  return (all.uordblks + all.hblkhd) / 1024;
}

Weights weigh(const std::vector<pid_t>& processes) {
  Weights all;
  for (const pid_t process : processes) {
    all.descriptors += descriptors_of(process);
    all.children += children_of(process);
    all.memory_kib += process == ::getpid() ? allocated_kib() : resident_kib(process);
  }
  return all;
}

// Until the boxes that were made ahead have been given up and nothing makes any more.
bool settle() {
  int quiet = 0;
  return becomes_true(40s, [&quiet] {
    const std::vector<pid_t> spawners = spawners_of(::getpid());
    const bool alone = weigh(spawners).children == spawners.size() / 2;
    quiet = alone ? quiet + 1 : 0;
    return quiet == 30;
  });
}

// What is wrong with Lazaret and its spawners after more runs, or nothing.
std::string grown(const Weights& before, const std::vector<pid_t>& processes) {
  const Weights after = weigh(processes);
  std::string said;
  const std::size_t spawners = processes.size() / 2;
  if (spawners_of(::getpid()).size() != 2 * spawners) said += "a spawner was replaced; ";
  // Lazaret's children are the spawners, and each of those has a second process.
  if (after.children != 2 * spawners) said += std::to_string(after.children) + " processes left; ";
  if (after.descriptors > before.descriptors + spawners * kMostNetworks)
    said += std::to_string(after.descriptors - before.descriptors) + " descriptors left; ";
  if (after.memory_kib > before.memory_kib + kGrowthKib)
    said += std::to_string(after.memory_kib - before.memory_kib) + " KiB grown; ";
  return said;
}

std::string stress(unsigned runs) {
  ::setenv("LAZARET_POOL_IDLE", "1s", 1);
  const CodeSandbox sandbox = sandbox_on("native");
  if (std::string said = run_many(sandbox, runs / 2); !said.empty()) return said;
  if (!settle()) return "it does not come to rest";
  std::vector<pid_t> processes = spawners_of(::getpid());
  if (processes.empty() || processes.size() % 2 != 0) return "a spawner has two processes";
  processes.push_back(::getpid());
  const Weights before = weigh(processes);
  if (std::string said = run_many(sandbox, runs - runs / 2); !said.empty()) return said;
  if (!settle()) return "it does not come to rest any more";
  return grown(before, processes);
}

// P-03, P-06, P-10, P-22, P-24
TEST(NativeStress, LeavesNothingOfManyRunsThatEndInEveryWay) {
  const std::string asked = variable("LAZARET_STRESS_RUNS");
  const unsigned runs = asked.empty() ? kUsualRuns : static_cast<unsigned>(std::stoul(asked));
  RecordProperty("runs", static_cast<int>(runs));
  const Caller caller = can_be(Caller::root) ? Caller::root : Caller::user;
  EXPECT_EQ(in_child(caller, [runs] { return stress(runs); }), "");
}

}  // namespace
}  // namespace lazaret::test
