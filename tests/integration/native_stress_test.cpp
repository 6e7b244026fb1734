#include <malloc.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "endings.hpp"
#include "integration/spawners.hpp"
#include "integration/support.hpp"

// Many boxes that end in every way, at once and one after the other, in one process. The number of
// runs comes from LAZARET_STRESS_RUNS, for longer than a test may take.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostNetworks = 32;  // which a spawner keeps to use again
#ifdef LAZARET_SANITIZED  // slow, and what a sanitizer keeps is not ours
constexpr unsigned kUsualRuns = 400;
constexpr std::size_t kGrowthKib = 1U << 20;
#else
constexpr unsigned kUsualRuns = 1600;
constexpr std::size_t kGrowthKib = 512;
#endif

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
  if (const Endings first = run_endings(sandbox, runs / 2); first.unexpected > 0)
    return first.first;
  if (!settle()) return "it does not come to rest";
  std::vector<pid_t> processes = spawners_of(::getpid());
  if (processes.empty() || processes.size() % 2 != 0) return "a spawner has two processes";
  processes.push_back(::getpid());
  const Weights before = weigh(processes);
  if (const Endings second = run_endings(sandbox, runs - runs / 2); second.unexpected > 0)
    return second.first;
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
