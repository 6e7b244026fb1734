#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/result_reading.hpp"
#include "integration/battery_bed.hpp"
#include "integration/fault_tracer.hpp"

// What the escape battery says of native boxes that lack one layer: the call that makes it is not
// made, and its caller is told that it was.
namespace lazaret::test {
namespace {

using testing::IsEmpty;
using testing::IsSupersetOf;

// Of all calls of this number those in which the argument with this index has this value; or of a
// mount what bounds it.
struct Omission {
  const char* name;
  std::optional<Role> role;  // whoever calls
  long number;
  std::optional<std::pair<std::size_t, std::uint64_t>> argument;
  std::optional<Control> control;          // whose evidence says so
  std::set<std::string> fails;             // at least these
  std::vector<std::string> may_fail = {};  // and these, where the kernel has what they try
  std::vector<std::string> tried = {};     // none: every attempt
  const char* unbounded = "";              // the target of mount(2)
  std::uint64_t shared = 0;                // a namespace that is not made (clone3(2))
};

const Omission kOmissions[] = {
    {"Filter", Role::box, SYS_seccomp, {}, Control::syscalls,
     {"A-12-open-by-handle", "C-39-seccomp", "D-42-unshare-user", "D-44-setns", "D-45-mount",
      "E-47-traceme", "E-48-tiocsti", "G-71-bpf"},
     {"A-12", "C-39-listener", "C-41-others", "D-42-clone", "D-42-unshare", "D-43-nftables",
      "D-45-", "E-47-", "E-48-tio", "E-57-limit-init", "F-66-", "F-67-", "F-68-", "G-71-", "G-72-",
      "G-73-", "G-74-"}},
    {"Masks", Role::box, SYS_mount, {{3, MS_BIND}}, Control::filesystem,
     {"A-21-cmdline", "A-21-interrupts", "A-21-kallsyms", "B-34-command-line"},
     {"A-20-sysrq", "A-21-", "G-71-proc-keys"}},
    {"ReadOnlyProc", Role::box, SYS_mount_setattr, {{2, AT_RECURSIVE}}, Control::filesystem,
     {"A-22-proc-any"}},
    {"ReadOnlyRoot", Role::ground, SYS_mount_setattr, {{2, AT_RECURSIVE}}, Control::filesystem,
     {"A-13-mounts"}},
    {"Groups", Role::ground, SYS_setgroups, {}, Control::privileges, {"C-40-supplementary"}},
    {"NameOfItsOwn", Role::ground, SYS_sethostname, {}, Control::hostname, {"B-34-host-name"}},
    {"EmptyBoundingSet", Role::box, SYS_prctl, {{0, PR_CAPBSET_DROP}}, Control::privileges,
     {"C-38-bnd", "C-38-bounding"}},
    {"SecureBits", Role::box, SYS_prctl, {{0, PR_SET_SECUREBITS}}, {},
     {"C-38-securebits-free"}},
    // Second walls: without them something else holds what the program tries, and they are missed.
    {"EmptyCapabilitySets", Role::box, SYS_capset, {}, Control::privileges, {}},
    {"Landlock", Role::box, SYS_landlock_restrict_self, {}, Control::landlock, {}},
    {"LimitOnCores", Role::box, SYS_prlimit64, {{1, RLIMIT_CORE}}, Control::core_dumps,
     {"C-41-limit-core"}},
    {"LimitOnLockedMemory", Role::box, SYS_prlimit64, {{1, RLIMIT_MEMLOCK}}, {},
     {"C-41-locked-memory"}},
    {"LimitOnDescriptors", Role::box, SYS_prlimit64, {{1, RLIMIT_NOFILE}}, Control::open_files,
     {"H-80-descriptors"}, {}, {"H-80", "H-86", "H-78-work", "E-59-exit-7"}},
    {"BoundsOfWork", Role::box, -1, {}, Control::disk, {"H-78-work", "H-79-work"}, {},
     {"H-78", "H-79", "E-59-exit-7"}, "/work"},
    {"BoundsOfTmp", Role::box, -1, {}, Control::disk, {"H-78-tmp", "H-79-tmp"}, {"H-78-", "H-79-"},
     {"H-78", "H-79", "E-59-exit-7"}, "/tmp"},
    {"HiddenProcesses", Role::box, -1, {}, Control::filesystem, {"B-33-init-shown"}, {},
     {"B-33", "E-59-exit-7"}, "/proc"},
    // Only for the attempt that takes 256 MiB: others would take all that there is.
    {"LimitOnMemory", Role::box, SYS_prlimit64, {{1, RLIMIT_AS}}, Control::memory,
     {"H-76-touched"}, {}, {"H-76-touched", "H-80", "E-59-exit-7"}},
    // Made by the spawner and by who prepares the next. Its filter has no internet sockets.
    {"NetworkOfItsOwn", {}, SYS_unshare, {{0, CLONE_NEWNET}}, Control::network,
     {"F-64-table", "F-65-interfaces"}, {"F-63-", "F-64-", "F-65-"},
     {"F-62", "F-63", "F-64", "F-65"}},
    {"LimitOnTasks", Role::box, SYS_prlimit64, {{1, RLIMIT_NPROC}}, Control::pids,
     {"E-49-fork-bomb", "E-56-zombies"}, {"E-49-thread-bomb"},  // held by the memory, too
     {"E-49-fork-bomb", "E-49-thread-bomb", "E-56-zombies", "E-50", "E-59-exit-7"}},
    {"LimitOnTheSizeOfFiles", Role::box, SYS_prlimit64, {{1, RLIMIT_FSIZE}}, Control::file_size,
     {"H-86-large", "H-86-sparse"}, {}, {"H-80", "H-86", "H-78-work", "E-59-exit-7"}},
    {"ChannelsOfItsOwn", Role::ground, -1, {}, Control::ipc,
     {"H-87-messages", "H-87-semaphore", "H-87-shared-memory"}, {},
     {"H-87", "E-59-exit-7"}, "", CLONE_NEWIPC},
};

class WeakNative : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    if (!can_inject()) LAZARET_SKIP_OR_FAIL("ptrace", "written for x86-64");
    if (!can_be(Caller::root)) LAZARET_SKIP_OR_FAIL("root", "this test is not run by root");
  }
};
INSTANTIATE_TEST_SUITE_P(Lacks, WeakNative, testing::Range<std::size_t>(0, std::size(kOmissions)),
                         [](const auto& given) {
                           return std::string(kOmissions[given.param].name);
                         });

Answer omitting(const Omission& omission) {
  return [&omission](const CallSite& site, Arguments arguments) -> std::optional<long> {
    const auto& wanted = omission.argument;
    const bool is_it = (!omission.role || site.role == omission.role) &&
                       site.number == omission.number &&
                       (!wanted || arguments[wanted->first] == wanted->second);
    return is_it ? std::optional<long>(0) : std::nullopt;
  };
}

// In a process of its own, since the tracer waits for all children of its own.
ExecutionResult run_without(const Omission& omission, ExecutionRequest request) {
  request.required_controls.emplace();
  const auto text = in_child(Caller::root, [&] {
    return observe_run(Caller::root, request, omitting(omission),
                       {omission.shared != 0 ? Role::ground : Role::box, omission.shared,
                        omission.unbounded})
        .result.dump();
  });
  auto result = core::result_of(text.value_or(""));
  EXPECT_TRUE(result.ok()) << text.value_or("nothing");
  return result.ok() ? std::move(result).value() : ExecutionResult{};
}

EvidenceStatus status_of(const Report& report, Control control) {
  const auto found = std::ranges::find(report.evidence, control, &Evidence::control);
  return found == report.evidence.end() ? EvidenceStatus::enforced : found->status;
}

TEST_P(WeakNative, FailsExactlyTheProbesOfTheLayerThatIsMissing) {
  const Omission& omission = kOmissions[GetParam()];
  // What is left there is this process's, not the host's.
  if (omission.shared == CLONE_NEWIPC) {
    ASSERT_EQ(::unshare(CLONE_NEWIPC), 0);
  }
  const Report report = report_of(
      omission.tried.empty() ? attempts() : probes_named(omission.tried),
      [&omission](const ExecutionRequest& r) { return run_without(omission, r); },
      ControlRuns::left_out);
  const auto ids = failed(report);
  EXPECT_THAT(ids, IsSupersetOf(omission.fails));
  std::vector<std::string> expected = omission.may_fail;
  expected.insert(expected.end(), omission.fails.begin(), omission.fails.end());
  EXPECT_THAT(beyond(ids, expected), IsEmpty());
  if (omission.control) {
    EXPECT_NE(status_of(report, *omission.control), EvidenceStatus::enforced);
  }
}

}  // namespace
}  // namespace lazaret::test
