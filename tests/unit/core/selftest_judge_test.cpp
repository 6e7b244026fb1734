#include "core/selftest/judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace lazaret::core::selftest {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Probe attempt() {
  Probe probe;
  probe.id = "A-01-x";
  return probe;
}

Verdict of_attempt(const json& answer, const Probe& probe = attempt()) {
  return judge_attempt(probe, answer, Meta{}).verdict;
}

TEST(SelftestJudge, TakesAnErrorThatSaysNoForARefusal) {
  for (const char* const error : {"EPERM", "EACCES", "EROFS", "ENOENT", "ENOSYS", "ENETUNREACH"}) {
    EXPECT_EQ(of_attempt({{"errno", error}}), Verdict::blocked) << error;
  }
}

// The filter says EPERM or ENOSYS before the kernel looks at the arguments.
TEST(SelftestJudge, TakesAComplaintAboutTheArgumentsForAKernelThatWasReached) {
  for (const char* const error : {"EINVAL", "EFAULT", "EBADF", "ENOKEY", "ENOTTY", "ETXTBSY"}) {
    EXPECT_EQ(of_attempt({{"errno", error}}), Verdict::failed) << error;
  }
}

// It was let in, and found no room: with room it would have been served.
TEST(SelftestJudge, DoesNotTakeWantForARefusalUnlessTheProbeIsAboutALimit) {
  Probe about_a_limit = attempt();
  about_a_limit.refused_by = {"EAGAIN", "EMFILE", "ENOSPC"};
  for (const char* const error : {"EAGAIN", "EMFILE", "ENOSPC"}) {
    EXPECT_EQ(of_attempt({{"errno", error}}), Verdict::failed) << error;
    EXPECT_EQ(of_attempt({{"errno", error}}, about_a_limit), Verdict::blocked) << error;
  }
}

TEST(SelftestJudge, LetsAProbeNameErrorsThatRefuseIt) {
  Probe probe = attempt();
  probe.refused_by = {"EINVAL"};
  EXPECT_EQ(of_attempt({{"errno", "EINVAL"}}, probe), Verdict::blocked);
}

TEST(SelftestJudge, FailsWhatSucceedsUnlessThatIsByDesign) {
  EXPECT_EQ(of_attempt({{"did", "read it"}}), Verdict::failed);
  Probe open = attempt();
  open.by_design = "everybody may";
  const Judgement judged = judge_attempt(open, {{"did", "read it"}}, Meta{});
  EXPECT_EQ(judged.verdict, Verdict::by_design);
  EXPECT_EQ(judged.detail, "everybody may");
  EXPECT_EQ(of_attempt({{"errno", "EPERM"}}, open), Verdict::blocked);
}

TEST(SelftestJudge, AcceptsAReasonThatNamesAControlOnlyWhereThatIsMissing) {
  Probe probe = attempt();
  probe.by_design = "no group is there";
  probe.by_design_without = Control::cgroup_view;
  Meta meta;
  meta.evidence = {{Control::cgroup_view, EvidenceStatus::partial, "", "", ""}};
  EXPECT_EQ(judge_attempt(probe, {{"did", "x"}}, meta).verdict, Verdict::by_design);
  meta.evidence[0].status = EvidenceStatus::enforced;
  EXPECT_EQ(judge_attempt(probe, {{"did", "x"}}, meta).verdict, Verdict::failed);
}

TEST(SelftestJudge, AcceptsAReasonOfEnginesOnlyOfContainers) {
  Probe probe = attempt();
  probe.by_design = "engines leave it readable";
  probe.by_design_of_engines = true;
  Meta meta;
  for (const char* const engine : {"docker", "podman"}) {
    meta.backend = engine;
    EXPECT_EQ(judge_attempt(probe, {{"did", "x"}}, meta).verdict, Verdict::by_design) << engine;
  }
  meta.backend = "native";
  EXPECT_EQ(judge_attempt(probe, {{"did", "x"}}, meta).verdict, Verdict::failed);
}

TEST(SelftestJudge, TakesOnlyTheSignalOfTheFilterForARefusal) {
  EXPECT_EQ(of_attempt({{"signal", 31}}), Verdict::blocked);
  EXPECT_EQ(of_attempt({{"signal", 11}}), Verdict::failed);
  Probe entry = attempt();
  entry.signals = {11};
  EXPECT_EQ(of_attempt({{"signal", 11}}, entry), Verdict::blocked);
}

TEST(SelftestJudge, FailsABrokenProbe) {
  for (const json& answer :
       {json(), json::array(), json::object(), json{{"fault", "NameError"}}, json{{"did", 7}}}) {
    EXPECT_EQ(of_attempt(answer), Verdict::failed) << answer;
  }
  Probe open = attempt();
  open.by_design = "everybody may";
  EXPECT_EQ(of_attempt({{"fault", "NameError"}}, open), Verdict::failed);
}

TEST(SelftestJudge, TakesWhatThisMachineLacksForHeld) {
  EXPECT_EQ(of_attempt({{"absent", "x32"}}), Verdict::blocked);
  EXPECT_EQ(of_attempt({{"blocked", "empty"}}), Verdict::blocked);
}

// A program that ends with status 7 after half a second and leaves nothing.
Seen seen() {
  Seen made;
  made.result.meta.cause = Cause::nonzero_exit;
  made.result.exit_code = 7;
  made.result.stdout_text = "out";
  made.result.duration = std::chrono::milliseconds(500);
  made.survivors = 0;
  return made;
}

Probe program() {
  Probe probe;
  probe.id = "E-50-x";
  probe.kind = Kind::program;
  probe.expectation.causes = {"timeout", "nonzero_exit"};
  probe.expectation.exit_code = 7;
  probe.expectation.seconds = 1;
  probe.expectation.standard_output = "out";
  probe.expectation.no_survivors = true;
  return probe;
}

TEST(SelftestJudge, HoldsAProgramThatEndsAsItMust) {
  EXPECT_EQ(judge_program(program(), seen()).verdict, Verdict::blocked);
  Probe ordinary = program();
  ordinary.id = "W-csv";
  EXPECT_EQ(judge_program(ordinary, seen()).verdict, Verdict::works);
}

struct Wrong {
  const char* name;
  void (*change)(Seen& seen);
  const char* said;
};
class SelftestJudgeOf : public testing::TestWithParam<Wrong> {};

TEST_P(SelftestJudgeOf, FailsAProgramThatDiffersInOneThing) {
  Seen made = seen();
  GetParam().change(made);
  const Judgement judged = judge_program(program(), made);
  EXPECT_EQ(judged.verdict, Verdict::failed);
  EXPECT_THAT(judged.detail, HasSubstr(GetParam().said));
}

INSTANTIATE_TEST_SUITE_P(
    Program, SelftestJudgeOf,
    testing::Values(
        Wrong{"Cause", [](Seen& made) { made.result.meta.cause = Cause::signalled; }, "signalled"},
        Wrong{"Status", [](Seen& made) { made.result.exit_code = 0; }, "exit status 0"},
        Wrong{"Time", [](Seen& made) { made.result.duration = std::chrono::seconds(2); }, "2.0 s"},
        Wrong{"Output", [](Seen& made) { made.result.stdout_text = "in"; }, "in"},
        Wrong{"Survivors", [](Seen& made) { made.survivors = 2; }, "2 processes"},
        Wrong{"Kill",
              [](Seen& made) {
                made.result.meta.kill = Kill{"kill", {}, 1};
              },
              "kill"}),
    [](const auto& given) { return std::string(given.param.name); });

TEST(SelftestJudge, SaysWhenProcessesCannotBeSeenFromHere) {
  Seen made = seen();
  made.survivors.reset();
  EXPECT_THAT(judge_program(program(), made).detail, HasSubstr("cannot be seen"));
}

TEST(SelftestJudge, NeverTakesTroubleOfOursForDesign) {
  Probe probe = program();
  probe.by_design = "no group is there";
  probe.by_design_without = Control::memory;
  Seen made = seen();
  made.result.exit_code = 0;
  EXPECT_EQ(judge_program(probe, made).verdict, Verdict::by_design);
  made.result.meta.cause = Cause::infrastructure_lost;
  EXPECT_EQ(judge_program(probe, made).verdict, Verdict::failed);
}

// Who says that the memory is held, must have seen that it was the memory.
TEST(SelftestJudge, TakesTheFirstCauseAloneWhereItsControlIsEnforced) {
  Probe probe = program();
  probe.expectation.causes = {"memory_limit", "nonzero_exit"};
  probe.expectation.cause_of = Control::memory;
  Seen made = seen();
  made.result.meta.evidence = {{Control::memory, EvidenceStatus::partial, "", "", ""}};
  EXPECT_EQ(judge_program(probe, made).verdict, Verdict::blocked);
  made.result.meta.evidence[0].status = EvidenceStatus::enforced;
  EXPECT_THAT(judge_program(probe, made).detail, HasSubstr("it ended by nonzero_exit"));
  made.result.meta.cause = Cause::memory_limit;
  EXPECT_EQ(judge_program(probe, made).verdict, Verdict::blocked);
}

TEST(SelftestJudge, DoesNotRunAnOptionalProgramThatIsMissing) {
  Probe probe = program();
  Seen made = seen();
  made.result.meta.cause = Cause::start_failed;
  EXPECT_EQ(judge_program(probe, made).verdict, Verdict::failed);
  probe.optional = "there is no node";
  EXPECT_EQ(judge_program(probe, made).verdict, Verdict::not_run);
}

TEST(SelftestJudge, WantsNothingButTheProgramsOwnInWhatItLeaves) {
  Probe probe = program();
  probe.expectation.contents = "own";
  Seen made = seen();
  EXPECT_EQ(judge_program(probe, made).verdict, Verdict::failed) << "nothing was taken";
  made.result.artifacts.resize(2);  // a link, and a file
  made.result.artifacts[1].content = "own";
  EXPECT_EQ(judge_program(probe, made).verdict, Verdict::blocked);
  made.result.artifacts[0].content = "root:x:0:0";
  EXPECT_EQ(judge_program(probe, made).verdict, Verdict::failed);
}

TEST(SelftestJudge, LooksAtCountsMarksValuesAndEvidence) {
  Seen made = seen();
  made.result.meta.output = {100, 0, true, false};
  made.result.value = "[1]";
  made.result.meta.usage.cpu_ms = 400;
  made.result.meta.usage.source = "cgroup";
  made.result.meta.evidence = {{Control::swap, EvidenceStatus::enforced, "", "", ""}};
  Probe probe = program();
  probe.expectation.stdout_bytes = 100;
  probe.expectation.truncated = "stdout";
  probe.expectation.value = "[ 1 ]";
  probe.expectation.cpu_share = 0.9;
  probe.expectation.enforced = Control::swap;
  EXPECT_EQ(judge_program(probe, made).verdict, Verdict::blocked);
  const auto failed_by = [&probe](Seen other) { return judge_program(probe, other).detail; };
  Seen other = made;
  other.result.meta.output.stdout_bytes = 99;
  EXPECT_THAT(failed_by(other), HasSubstr("99 bytes"));
  other = made;
  other.result.meta.output.stderr_truncated = true;
  EXPECT_THAT(failed_by(other), HasSubstr("truncation"));
  other = made;
  other.result.value.reset();
  EXPECT_THAT(failed_by(other), HasSubstr("value"));
  other = made;
  other.result.meta.usage.cpu_ms = 500;
  EXPECT_THAT(failed_by(other), HasSubstr("processor time"));
  other = made;
  other.result.meta.usage.source = "rusage";
  EXPECT_THAT(failed_by(other), HasSubstr("processor time"));
  other = made;
  other.result.meta.evidence.clear();
  EXPECT_THAT(failed_by(other), HasSubstr("evidence"));
}

TEST(SelftestComparison, ProvesByWhatSucceedsBare) {
  EXPECT_EQ(compare_attempt(attempt(), {{"did", "x"}}).proof, Proof::proves);
  EXPECT_EQ(compare_attempt(attempt(), {{"errno", "EINVAL"}}).proof, Proof::proves);
  EXPECT_EQ(compare_attempt(attempt(), {{"errno", "ENOENT"}}).proof, Proof::proves_nothing);
  EXPECT_EQ(compare_attempt(attempt(), {{"fault", "x"}}).proof, Proof::not_run);
  EXPECT_EQ(compare_attempt(attempt(), json()).proof, Proof::not_run);
}

TEST(SelftestComparison, ProvesByAProgramThatEndsOtherwiseBareOrNever) {
  json bare = {{"exit", 7},       {"signal", 0},      {"seconds", 0.1},
               {"survivors", 0U}, {"overdue", false}, {"stdout", "out"}};
  EXPECT_EQ(compare_program(program(), bare).proof, Proof::proves_nothing);
  bare["survivors"] = 1U;
  EXPECT_EQ(compare_program(program(), bare).proof, Proof::proves);
  bare["survivors"] = 0U;
  bare["overdue"] = true;
  EXPECT_EQ(compare_program(program(), bare).proof, Proof::proves);
  bare["exit"] = "seven";
  EXPECT_EQ(compare_program(program(), bare).proof, Proof::not_run);
}

}  // namespace
}  // namespace lazaret::core::selftest
