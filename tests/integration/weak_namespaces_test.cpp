#include <sched.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/fault_tracer.hpp"

// Native boxes of which one namespace is not made, though their maker is told that it was: nothing
// runs, or the evidence says it.
namespace lazaret::test {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kNewTime = 0x80;  // CLONE_NEWTIME, for clone3(2) alone

struct Lack {
  const char* name;
  std::uint64_t flag;
  const char* control = nullptr;  ///< none: a box cannot be made so
  const char* words = nullptr;    ///< of its evidence
};

const Lack kLacks[] = {
    {"User", CLONE_NEWUSER},
    {"Mounts", CLONE_NEWNS},
    {"Processes", CLONE_NEWPID},
    {"Time", kNewTime, "processes", "no own time namespace"},
    {"Ipc", CLONE_NEWIPC, "ipc", "no own ipc namespace"},
    {"HostName", CLONE_NEWUTS, "hostname", "no own uts namespace"},
    {"ControlGroups", CLONE_NEWCGROUP, "cgroup_view", "no own cgroup namespace"},
};

class WeakNamespaces : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    if (!can_inject()) LAZARET_SKIP_OR_FAIL("ptrace", "written for x86-64");
    if (!can_be(Caller::root)) LAZARET_SKIP_OR_FAIL("root", "this test is not run by root");
  }
  // What a run says that is made without it, in a process of its own: the tracer waits for all
  // children of its own.
  [[nodiscard]] static Json run_without(const Lack& lack, std::set<Control> required) {
    ExecutionRequest request = bash("echo ran");
    request.required_controls = std::move(required);
    const auto text = in_child(Caller::root, [&] {
      const Observed seen = observe_run(Caller::root, request, {}, {Role::ground, lack.flag});
      return seen.hit ? seen.result.dump() : "";
    });
    const Json result = Json::parse(text.value_or(""), nullptr, false);
    EXPECT_TRUE(result.is_object()) << text.value_or("nothing");
    return result.is_object() ? result : Json::object();
  }
};

INSTANTIATE_TEST_SUITE_P(Lacks, WeakNamespaces, testing::Range<std::size_t>(0, std::size(kLacks)),
                         [](const auto& given) { return std::string(kLacks[given.param].name); });

TEST_P(WeakNamespaces, RunNothingOrSaySo) {
  const Lack& lack = kLacks[GetParam()];
  const Json result = run_without(lack, {});
  if (lack.control == nullptr) {
    EXPECT_EQ(result.value("stdout", "?"), "") << result.dump();
    EXPECT_TRUE(result.contains("error")) << result.dump();
    return;
  }
  EXPECT_EQ(result.value("stdout", "?"), "ran\n") << result.dump();
  const Json evidence = evidence_of(result, lack.control);
  EXPECT_EQ(evidence["status"], "not_enforced") << evidence.dump();
  EXPECT_THAT(evidence["applied"].dump(), HasSubstr(lack.words));
}

TEST_P(WeakNamespaces, RunNothingThatRequiresThem) {
  const Lack& lack = kLacks[GetParam()];
  const Control its_own = control_named(lack.control ? lack.control : "privileges").value();
  const Json result = run_without(lack, {its_own});
  EXPECT_EQ(result.value("stdout", "?"), "") << result.dump();
  EXPECT_TRUE(result.contains("error")) << result.dump();
}

// As AppArmor refuses on Ubuntu (P-47): the namespaces are made, and nothing may be done in them.
TEST(RefusedNamespaces, AreToldWithTheStepAndWhatToDo) {
  if (!can_inject()) LAZARET_SKIP_OR_FAIL("ptrace", "written for x86-64");
  if (!can_be(Caller::user)) LAZARET_SKIP_OR_FAIL("root", "this test is not run by root");
  const auto text = in_child(Caller::root, [] {
    const Answer refuse = [](const CallSite& site, Arguments) -> std::optional<long> {
      const bool is_it = site.role == Role::ground && site.number == SYS_sethostname;
      return is_it ? std::optional<long>(-EPERM) : std::nullopt;
    };
    return observe_run(Caller::user, bash("echo ran"), refuse).result.dump();
  });
  const Json result = Json::parse(text.value_or(""), nullptr, false);
  ASSERT_TRUE(result.is_object()) << text.value_or("nothing");
  EXPECT_EQ(result.value("stdout", "?"), "");
  EXPECT_THAT(result["error"]["message"].dump(), HasSubstr("name host"));
  EXPECT_THAT(result["error"]["hint"].dump().size(), testing::Gt(10U)) << result["error"];
}

}  // namespace
}  // namespace lazaret::test
