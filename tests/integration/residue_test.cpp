#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"

// Two hundred runs of every fate, one after the other, and the machine is as it was.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;

constexpr int kRuns = 200;

// Five fates: three quick ones, one that obeys TERM too late, one that the caller gives up.
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
      ExecutionRequest request = bash("setsid sleep 300 & sleep 300 & disown -a; exit 0");
      request.arguments = {marker};
      return request;
    }
    default: return bash("echo \"$RANDOM\" > /tmp/file; mkfifo /work/pipe; echo ok");
  }
}

const char* cause_of(int number) {
  constexpr const char* kCauses[] = {"exited", "nonzero_exit", "signalled", "timeout", "signalled",
                                     "start_failed", "exited", "exited", "exited", "exited"};
  return kCauses[number % 10];
}

class Residue : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(EachBackend, Residue, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(Residue, IsNoneAfterTwoHundredRuns) {
  const std::string backend = GetParam();
  if (!options_for(backend)) LAZARET_SKIP_OR_FAIL(backend, "no endpoint is given");
  const std::string marker = unique_marker();
  const CodeSandbox sandbox = sandbox_on(backend);
  // What is made once, such as the volume of the runner, is there before the count.
  ASSERT_EQ(sandbox.execute(bash("true")).meta.cause, Cause::exited);
  const Leftovers before = leftovers(backend);
  for (int number = 0; number < kRuns; ++number) {
    const ExecutionResult result = sandbox.execute(request_of(number, marker));
    ASSERT_EQ(name_of(result.meta.cause), cause_of(number)) << number << ": " << to_json(result);
  }
  // An engine takes containers down after the answer has been given.
  EXPECT_TRUE(becomes_true(20s, [&] { return leftovers(backend).containers <= before.containers; }));
  const Leftovers after = leftovers(backend);
  EXPECT_THAT(processes_marked(marker), IsEmpty());
  EXPECT_THAT(added(before.files, after.files), IsEmpty());
  EXPECT_THAT(added(before.mounts, after.mounts), IsEmpty());
  EXPECT_THAT(added(before.cgroups, after.cgroups), IsEmpty());
  EXPECT_EQ(after.descriptors, before.descriptors);
  EXPECT_EQ(after.children, before.children);
  EXPECT_EQ(after.containers, before.containers);
}

}  // namespace
}  // namespace lazaret::test
