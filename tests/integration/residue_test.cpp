#include <sched.h>
#include <sys/mount.h>

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "integration/support.hpp"

// Two hundred runs of every fate, one after the other, and the machine is as it was.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;

constexpr int kRuns = 200;

ExecutionRequest request_of(int number, const std::string& marker) {
  switch (number % 10) {
    case 0: return python("open('/tmp/file', 'w').write('x' * 100000)\nprint(1)");
    case 1: return bash("exit 3");
    case 2: return bash("kill -SEGV $$");
    case 3: {
      ExecutionRequest request = bash("trap '' TERM; exec -a \"$1\" sleep 300");
      request.limits.timeout = 100ms;
      request.limits.grace = 50ms;
      request.arguments = {marker};
      return request;
    }
    case 4: return bash("kill -KILL $$");
    case 5: return command({"no-such-program"});
    case 6: {
      ExecutionRequest request = bash(
          "setsid bash -c 'exec -a \"$1\" sleep 300' - \"$1\" & (exec -a \"$1\" sleep 300) & "
          "disown -a");
      request.arguments = {marker};
      return request;
    }
    default: return bash("echo \"$RANDOM\" > /tmp/file; mkfifo /work/pipe; echo ok");
  }
}

const char* cause_of(int number) {
  constexpr const char* kCauses[] = {"exited",    "nonzero_exit", "signalled", "timeout",
                                     "signalled", "start_failed", "exited",    "exited",
                                     "exited",    "exited"};
  return kCauses[number % 10];
}

// Other programs make files too: in a mount namespace of its own with empty directories, a child
// sees only what the runs have left. An engine's socket lies in one of them, so there names decide.
bool become_alone() {
  if (::unshare(CLONE_NEWNS) != 0 ||
      ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return false;
  for (const char* const folder : {"/tmp", "/var/tmp", "/run", "/dev/shm"}) {
    if (::mount("tmpfs", folder, "tmpfs", 0, nullptr) != 0) return false;
  }
  return true;
}

std::vector<std::string> ours_of(std::vector<std::string> names, bool alone) {
  return alone ? names : named_as_ours(std::move(names));
}

std::string unlike(const char* what, std::size_t before, std::size_t after) {
  if (before == after) return {};
  return std::string(what) + ": " + std::to_string(before) + " before, " + std::to_string(after) +
         " after\n";
}

// By a sandbox that is gone afterwards, and what it had made ahead with it. The result that was not
// expected, if there is one.
std::string run_all(const std::string& backend, const std::string& marker) {
  const CodeSandbox sandbox = sandbox_on(backend);
  for (int number = 0; number < kRuns; ++number) {
    const ExecutionResult result = sandbox.execute(request_of(number, marker));
    if (name_of(result.meta.cause) != cause_of(number))
      return std::to_string(number) + ": " + to_json(result);
  }
  return {};
}

// What is wrong after the runs, one line for each thing; nothing when all is well.
std::string complaints_about(const std::string& backend) {
  const bool alone = backend == "native" && become_alone();
  const std::string marker = unique_marker();
  // What is made once, such as the volume of the runner, is there before the count.
  if (sandbox_on(backend).execute(bash("true")).meta.cause != Cause::exited)
    return "nothing can be run\n";
  const Leftovers before = leftovers(backend);
  if (const std::string trouble = run_all(backend, marker); !trouble.empty()) return trouble;
  // An engine takes containers down after the answer has been given.
  (void)becomes_true(20s, [&] {
    const Leftovers now = leftovers(backend);
    return now.containers <= before.containers && added(before.volumes, now.volumes).empty() &&
           added(before.engines_cgroups, now.engines_cgroups).empty();
  });
  const Leftovers after = leftovers(backend);
  std::string complaints = unlike("processes", 0, processes_marked(marker).size());
  for (const auto& name : ours_of(added(before.files, after.files), alone))
    complaints += "file " + name + "\n";
  for (const auto& name : added(before.mounts, after.mounts)) complaints += "mount " + name + "\n";
  for (const auto& name : added(before.cgroups, after.cgroups))
    complaints += "cgroup " + name + "\n";
  for (const auto& name : added(before.engines_cgroups, after.engines_cgroups))
    complaints += "cgroup " + name + "\n";
  for (const auto& name : added(before.volumes, after.volumes))
    complaints += "volume " + name + "\n";
  return complaints + unlike("descriptors", before.descriptors, after.descriptors) +
         unlike("children", before.children, after.children) +
         unlike("containers", before.containers, after.containers);
}

class Residue : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(EachBackend, Residue, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(Residue, IsNoneAfterTwoHundredRuns) {  // L-12, L-40
  const std::string backend = GetParam();
  if (!options_for(backend)) LAZARET_SKIP_OR_FAIL(backend, "no endpoint is given");
  const auto complaints = in_child(Caller::root, [&backend] { return complaints_about(backend); });
  EXPECT_EQ(complaints, "");
}

}  // namespace
}  // namespace lazaret::test
