#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/box_facts.hpp"
#include "integration/fault_tracer.hpp"

// Threat 116, L-24, P-48: every system call by which a box is made is made to fail in turn, as it
// was made in a run that went well, and some are answered with a success that did nothing. Either
// nothing foreign runs, or what the evidence claims is true all the same.
namespace lazaret::test {
namespace {

using testing::IsEmpty;

// What the calls of one group are about; the last takes all that are in no other.
struct Group {
  std::string_view name;
  std::vector<long> numbers;
  // Answered with a success that did nothing, too: what a foreign filter may do to us.
  enum class Lies { too, never } lies;
  enum class By { its_parts, lazaret } by = By::its_parts;
  // Whether a box is made in another way for a user who has further ids.
  enum class Ids { are_all_the_same, matter } ids = Ids::are_all_the_same;
  // Of many calls alike.
  enum class Tried { some, each } tried = Tried::some;
};

// Of boxes that are asked for more, or less, than others are.
constexpr std::string_view kWayOut = "WayOut", kShared = "Shared", kStrict = "Strict",
                           kAlone = "Alone", kTerminal = "Terminal";

const std::vector<Group>& groups() {
  using enum Group::Lies;
  using enum Group::By;
  using enum Group::Ids;
  using enum Group::Tried;
  static const std::vector<Group> all = {
      {"Mounts", {SYS_mount, SYS_umount2, SYS_mount_setattr, SYS_pivot_root, SYS_chdir},
       too,
       its_parts,
       are_all_the_same,
       each},
      {"Namespaces", {SYS_unshare, SYS_clone3, SYS_sethostname}, too, its_parts, matter},
      {"Identity",
       {SYS_setresuid, SYS_setresgid, SYS_setgroups, SYS_setsid, SYS_umask},
       too,
       its_parts,
       matter,
       each},
      {"Privileges",
       {SYS_prctl, SYS_capset, SYS_seccomp},
       too,
       its_parts,
       are_all_the_same,
       each},
      {"Landlock",
       {SYS_landlock_create_ruleset, SYS_landlock_add_rule, SYS_landlock_restrict_self},
       too},
      {"Limits",
       {SYS_prlimit64, SYS_setrlimit, SYS_sched_setaffinity},
       too,
       its_parts,
       are_all_the_same,
       each},
      {"Signals", {SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_signalfd4}, never},
      {"Descriptors", {SYS_dup2, SYS_fcntl, SYS_pipe2}, never},
      {"Closing", {SYS_close_range, SYS_close}, too},
      {"Tree", {SYS_mkdir, SYS_symlink, SYS_stat, SYS_mknod}, too},
      {"Files", {SYS_open, SYS_openat}, never},
      {"Writes", {SYS_write}, too},
      {"Conversation",
       {SYS_read, SYS_recvfrom, SYS_recvmsg, SYS_sendto, SYS_sendmsg, SYS_poll},
       never},
      {kShared,
       {SYS_openat2, SYS_open_tree, SYS_dup3, SYS_mount_setattr, SYS_mkdirat, SYS_move_mount},
       too},
      {kStrict, {SYS_mount, SYS_mount_setattr, SYS_umount2, SYS_seccomp}, too},
      {kAlone, {SYS_prctl, SYS_seccomp, SYS_fcntl, SYS_execve}, too},
      {kTerminal, {SYS_ioctl, SYS_open, SYS_openat, SYS_setsid, SYS_dup2, SYS_chown}, never},
      {kWayOut, {SYS_unshare, SYS_socket, SYS_ioctl, SYS_bind, SYS_listen, SYS_sendmsg}, too},
      {"Processes",
       {SYS_fork, SYS_vfork, SYS_clone, SYS_execve, SYS_wait4, SYS_kill},
       never,
       its_parts,
       matter},
      {"TheRest", {}, never},
      // What Lazaret itself looks at and says; not memory, locks and signals, without which there
      // is no program.
      {"OwnFiles",
       {SYS_open, SYS_openat, SYS_read, SYS_pread64, SYS_readlinkat, SYS_readlink, SYS_newfstatat,
        SYS_stat, SYS_fstat, SYS_statx, SYS_statfs, SYS_access, SYS_faccessat, SYS_faccessat2,
        SYS_mkdir, SYS_getxattr},
       too,
       lazaret,
       matter},
      {"OwnConversation",
       {SYS_socketpair, SYS_pipe2, SYS_sendmsg, SYS_recvmsg, SYS_sendto, SYS_recvfrom, SYS_poll,
        SYS_ppoll, SYS_write, SYS_writev, SYS_getsockopt, SYS_eventfd2, SYS_fcntl},
       never,
       lazaret,
       matter},
      {"OwnProcesses",
       {SYS_vfork, SYS_fork, SYS_clone, SYS_clone3, SYS_execve, SYS_memfd_create, SYS_dup2,
        SYS_pidfd_open, SYS_pidfd_send_signal, SYS_waitid, SYS_wait4, SYS_kill,
        SYS_sched_getaffinity, SYS_prlimit64, SYS_uname, SYS_prctl, SYS_capget},
       never,
       lazaret,
       matter},
  };
  return all;
}

bool is_in(const Group& group, const CallSite& call) {
  const auto by = call.role == Role::lazaret ? Group::By::lazaret : Group::By::its_parts;
  const auto holds = [&call, by](const Group& one) {
    return one.by == by && std::ranges::find(one.numbers, call.number) != one.numbers.end();
  };
  if (!group.numbers.empty()) return holds(group);
  return group.by == by && std::none_of(groups().begin(), groups().end(), holds);
}

// These do not return, or the kernel makes them.
bool can_fail(long number) {
  return number != SYS_exit_group && number != SYS_exit && number != SYS_rt_sigreturn;
}

std::string describe(const FailedCall& fault) {
  constexpr const char* kRoles[] = {"other", "lazaret", "spawner", "ground", "box", "program"};
  return std::string(kRoles[static_cast<std::size_t>(fault.at.role)]) + ": call " +
         std::to_string(fault.at.number) + ", number " + std::to_string(fault.at.nth) +
         ", answered " + std::to_string(fault.result);
}

// Of the many alike of one role, the first, the last and some between; all with LAZARET_FAULTS=all.
bool is_chosen(unsigned nth, unsigned total) {
  constexpr unsigned kMost = 10;
  static const char* const wanted = std::getenv("LAZARET_FAULTS");
  static const bool are_all = wanted != nullptr && std::string_view(wanted) == "all";
  return are_all || total <= kMost || nth == total || (nth - 1) % (total / kMost + 1) == 0;
}

std::vector<FailedCall> faults_of(const Group& group, const std::vector<CallSite>& calls) {
  constexpr long kOthers[] = {-ENOSYS, -ENOMEM, -EINVAL, -EACCES, -EINTR};
  std::map<std::pair<Role, long>, unsigned> totals;
  for (const CallSite& call : calls) ++totals[{call.role, call.number}];
  std::vector<FailedCall> faults;
  for (const CallSite& call : calls) {
    if (!is_in(group, call) || !can_fail(call.number)) continue;
    const bool is_tried = group.tried == Group::Tried::each ||
                          is_chosen(call.nth, totals[{call.role, call.number}]);
    if (!is_tried) continue;
    faults.push_back({call, -EPERM});
    faults.push_back({call, kOthers[faults.size() % std::size(kOthers)]});
    if (group.lies == Group::Lies::too) faults.push_back({call, 0});
  }
  return faults;
}

class NativeFaults : public testing::TestWithParam<std::tuple<Caller, std::size_t>> {
 protected:
  void SetUp() override {
    if (!can_inject()) LAZARET_SKIP_OR_FAIL("ptrace", "written for x86-64");
    if (!can_be(caller())) LAZARET_SKIP_OR_FAIL("root", "this test is not run by root");
  }
  [[nodiscard]] static Caller caller() { return std::get<0>(GetParam()); }
  [[nodiscard]] static const Group& group() { return groups()[std::get<1>(GetParam())]; }

  [[nodiscard]] ExecutionRequest asking(const std::string& marker) const {
    ExecutionRequest request =
        ask_the_box(marker, group().name == kAlone ? Subprocess::deny : Subprocess::allow);
    if (group().name == kTerminal) request.terminal = TerminalSize{24, 80};
    if (group().name == kWayOut) request.hosts = {"a.example"};
    if (group().name == kShared) request.mounts = {{folder_.path(), "/mnt/shared"}};
    if (group().name != kStrict) return request;
    request.profile = Profile::strict;
    return request;
  }

  /// Whether the fault's call was reached.
  [[nodiscard]] bool hold(const FailedCall& fault) const {
    const std::string marker = unique_marker();
    const Observed seen = observe_fault(caller(), asking(marker), fault);
    const std::string what = describe(fault) + "\n" + seen.result.dump();
    EXPECT_FALSE(seen.overdue) << "it hung: " << what;
    EXPECT_EQ(seen.mounted, "") << "left mounted: " << what;
    EXPECT_EQ(seen.renamed, "") << "the host was renamed: " << what;
    EXPECT_THAT(processes_marked(marker), IsEmpty()) << what;
    EXPECT_TRUE(seen.result.is_object()) << "no result: " << what;
    if (!seen.result.is_object()) return seen.hit;
    seen.executed ? expect_truth(seen, fault, what) : expect_refusal(seen, what);
    return seen.hit;
  }

 private:
  const Folder folder_;

  static void expect_refusal(const Observed& seen, const std::string& what) {
    EXPECT_EQ(seen.result["stdout"], "") << what;
    EXPECT_EQ(seen.result["exit_code"], -1) << what;
    EXPECT_NE(seen.result["meta"]["cause"], "exited") << what;
    const Json& error = seen.result["error"];
    ASSERT_TRUE(error.is_object()) << what;
    EXPECT_EQ(error["type"], "BackendError") << what;
    EXPECT_NE(error["message"], "") << what;
  }

  // A loss after the program was executed is told as such, and claims nothing of its end.
  static void expect_truth(const Observed& seen, const FailedCall& fault, const std::string& what) {
    const Json& cause = seen.result["meta"]["cause"];
    // Seen once, of libc's own unchecked calls: where one is not made, the news of the program's
    // end may be lost, and its time runs out.
    const bool may_run_out = fault.at.number == SYS_rt_sigprocmask;
    const bool ended = (cause == "exited" || (may_run_out && cause == "timeout")) &&
                       has_answered(seen.result["stdout"]);
    EXPECT_TRUE(ended || cause == "infrastructure_lost") << what;
    if (has_answered(seen.result["stdout"])) {
      EXPECT_THAT(false_claims(seen.result, seen.outside, caller()), IsEmpty()) << what;
    }
  }
};

std::string name_of_case(const testing::TestParamInfo<NativeFaults::ParamType>& given) {
  return name_of(std::get<0>(given.param)) +
         std::string(groups()[std::get<1>(given.param)].name);
}

std::vector<NativeFaults::ParamType> all_cases() {
  std::vector<NativeFaults::ParamType> all;
  for (const Caller caller : {Caller::root, Caller::user, Caller::user_with_ids}) {
    for (std::size_t index = 0; index < groups().size(); ++index) {
      if (caller != Caller::user_with_ids || groups()[index].ids == Group::Ids::matter)
        all.emplace_back(caller, index);
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(AskedBy, NativeFaults, testing::ValuesIn(all_cases()), name_of_case);

TEST_P(NativeFaults, RunNothingOrLeaveTheEvidenceTrue) {
  const Observed good = observe_run(caller(), asking(unique_marker()));
  ASSERT_TRUE(good.executed && has_answered(good.result["stdout"])) << good.result.dump();
  ASSERT_THAT(false_claims(good.result, good.outside, caller()), IsEmpty()) << good.result.dump();
  const std::vector<FailedCall> faults = faults_of(group(), good.calls);
  const auto hits = std::ranges::count_if(faults, [this](const auto& one) { return hold(one); });
  RecordProperty("cases", static_cast<int>(hits));
  // Threads of Lazaret's own take turns of which none is like another.
  EXPECT_GE(hits * 10, static_cast<std::ptrdiff_t>(faults.size() * 9));
}

// Of all groups together: a set-up that makes too few calls to fail would prove little.
TEST(NativeFaultCases, AreHundredsForEachCaller) {
  if (!can_inject()) LAZARET_SKIP_OR_FAIL("ptrace", "written for x86-64");
  for (const Caller caller : {Caller::root, Caller::user, Caller::user_with_ids}) {
    if (!can_be(caller)) continue;
    const Observed good = observe_run(caller, ask_the_box(unique_marker()));
    ASSERT_TRUE(good.executed) << good.result.dump();
    std::size_t cases = 0;
    for (const Group& group : groups()) cases += faults_of(group, good.calls).size();
    EXPECT_GE(cases, 500U) << name_of(caller);
  }
}

}  // namespace
}  // namespace lazaret::test
