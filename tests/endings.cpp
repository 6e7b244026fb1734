#include "endings.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

namespace lazaret::test {
namespace {

using namespace std::chrono_literals;

constexpr unsigned kThreads = 8;

ExecutionRequest request_for(const Ending& ending) {
  ExecutionRequest request;
  request.command = {"/bin/sh", "-c", ending.code};
  const bool is_slow = ending.causes.front() == "timeout";
  request.limits.timeout = is_slow ? 100ms : 20s;
  request.limits.grace = 20ms;
  request.limits.pids = 32;
  request.limits.file_bytes = 1 << 20;
  request.limits.memory_bytes = 64 << 20;
  request.limits.disk_bytes = 4 << 20;
  request.limits.disk_files = 256;
  if (ending.causes.front() == "cpu_limit") request.limits.cpu_time = 1s;
  if (ending.causes.front() == "output_limit") request.limits.output_bytes = 1 << 20;
  return request;
}

// The grace is theirs alone who do not end at the first word.
void add_lateness(Endings& all, const ExecutionRequest& request, const ExecutionResult& result) {
  if (result.meta.cause != Cause::timeout || !result.meta.kill) return;
  const auto grace = result.meta.kill->path == "kill" ? request.limits.grace.value() : 0ms;
  const std::chrono::duration<double, std::milli> took = result.duration;
  all.late_ms.push_back((took - request.limits.timeout.value() - grace).count());
}

// Where memory is the box's and not each process's, the kernel's own counter tells.
bool is_expected(const Ending& ending, const ExecutionResult& result) {
  const bool is_held = std::ranges::any_of(result.meta.evidence, [](const Evidence& row) {
    return row.control == Control::memory && row.status == EvidenceStatus::enforced;
  });
  const std::string cause(name_of(result.meta.cause));
  if (is_held && ending.causes.front() == "memory_limit") return cause == "memory_limit";
  return std::ranges::count(ending.causes, cause) > 0;
}

void count(Endings& all, const Ending& ending, const ExecutionResult& result) {
  const unsigned survivors = result.meta.kill ? result.meta.kill->survivors : 0;
  const bool known = is_expected(ending, result);
  ++all.runs;
  all.survivors += survivors;
  if (known && survivors == 0 && result.stdout_text == ending.output) return;
  if (all.unexpected++ == 0)
    all.first = std::string("one that ") + ending.name + ": " + to_json(result);
}

}  // namespace

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
      {"uses up its processor time", "while :; do :; done; :", {"cpu_limit"}, ""},
      {"says more than it may", "exec cat /dev/zero >&2", {"output_limit"}, ""},
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

Endings run_endings(const CodeSandbox& sandbox, unsigned runs) {
  std::atomic<unsigned> next = 0;
  std::array<Endings, kThreads> parts;
  std::vector<std::jthread> threads;
  for (Endings& part : parts) {
    threads.emplace_back([&part, &next, &sandbox, runs] {
      for (unsigned number = next++; number < runs; number = next++) {
        const Ending& ending = endings()[number % endings().size()];
        const ExecutionRequest request = request_for(ending);
        const ExecutionResult result = sandbox.execute(request);
        count(part, ending, result);
        add_lateness(part, request, result);
      }
    });
  }
  threads.clear();
  Endings all;
  for (const Endings& part : parts) {
    all.runs += part.runs;
    all.survivors += part.survivors;
    all.unexpected += part.unexpected;
    if (all.first.empty()) all.first = part.first;
    all.late_ms.insert(all.late_ms.end(), part.late_ms.begin(), part.late_ms.end());
  }
  return all;
}

}  // namespace lazaret::test
