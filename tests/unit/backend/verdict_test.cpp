#include "backend/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lazaret::backend {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr auto kEnforced = EvidenceStatus::enforced;
constexpr auto kPartial = EvidenceStatus::partial;
constexpr auto kMissing = EvidenceStatus::not_enforced;

Evidence of(Control control, const std::vector<Reading>& readings) {
  for (const Evidence& piece : judge(readings, policy::Spec{})) {
    if (piece.control == control) return piece;
  }
  ADD_FAILURE() << "no evidence of " << name_of(control);
  return {control, kMissing, "", "", ""};
}

std::vector<Evidence> all_enforced() {
  std::vector<Evidence> evidence;
  for (const Control control : all_controls()) evidence.push_back({control, kEnforced, "", "", ""});
  return evidence;
}

TEST(Judge, GivesOnePieceForEachControlInOrder) {
  const auto evidence = judge({}, policy::Spec{});
  ASSERT_EQ(evidence.size(), all_controls().size());
  for (std::size_t index = 0; index < evidence.size(); ++index)
    EXPECT_EQ(evidence[index].control, all_controls()[index]);
}

TEST(Judge, FindsNotEnforcedWhatNobodyHasRead) {
  for (const Evidence& piece : judge({}, policy::Spec{})) {
    SCOPED_TRACE(std::string(name_of(piece.control)));
    EXPECT_EQ(piece.status, kMissing);
    EXPECT_EQ(piece.applied, "not verified here");
    EXPECT_EQ(piece.verified_by, "nothing");
    EXPECT_FALSE(piece.requested.empty());
  }
}

TEST(Judge, LetsTheWeakestReadingDecideInWhateverOrder) {
  const Reading good{Control::network, kEnforced, "lo only", "runner report"};
  const Reading half{Control::network, kPartial, "an address", "engine inspect"};
  const Reading bad{Control::network, kMissing, "no own net namespace", "/proc from outside"};
  EXPECT_EQ(of(Control::network, {good}).status, kEnforced);
  EXPECT_EQ(of(Control::network, {good, half}).status, kPartial);
  EXPECT_EQ(of(Control::network, {half, bad, good}).status, kMissing);
  EXPECT_EQ(of(Control::network, {bad, good, half}).status, kMissing);
}

TEST(Judge, NamesEverySourceOnce) {
  const Evidence piece = of(
      Control::network, {{Control::network, kEnforced, "lo only", "runner report"},
                         {Control::network, kEnforced, "own net namespace", "/proc from outside"},
                         {Control::network, kEnforced, "", "/proc from outside"}});
  EXPECT_EQ(piece.applied, "lo only; own net namespace");
  EXPECT_EQ(piece.verified_by, "runner report; /proc from outside");
}

TEST(Judge, DoesNotMixControls) {
  EXPECT_EQ(of(Control::swap, {{Control::memory, kEnforced, "x", "y"}}).status, kMissing);
}

TEST(Requested, SaysTheNumbersOfTheSpec) {
  policy::Spec spec;
  spec.limits.pids = 7;
  spec.limits.memory_bytes = 1234;
  spec.environment = {{"A", "1"}, {"B", "2"}};
  EXPECT_EQ(requested(Control::pids, spec), "7 tasks");
  EXPECT_EQ(requested(Control::memory, spec), "1234 bytes");
  EXPECT_THAT(requested(Control::environment, spec), HasSubstr("2 variables"));
}

TEST(Require, IsSatisfiedWhenAllThatIsRequiredIsEnforced) {
  policy::Spec spec;
  spec.required = {all_controls().begin(), all_controls().end()};
  EXPECT_TRUE(require(all_enforced(), spec).ok());
}

TEST(Require, RefusesEachControlThatIsMissingOrPartial) {
  for (const Control control : all_controls()) {
    for (const EvidenceStatus status : {kPartial, kMissing}) {
      SCOPED_TRACE(std::string(name_of(control)));
      auto evidence = all_enforced();
      evidence[static_cast<std::size_t>(control)].status = status;
      evidence[static_cast<std::size_t>(control)].applied = "why";
      policy::Spec spec;
      spec.required = {control};
      const Status refused = require(evidence, spec);
      ASSERT_FALSE(refused.ok());
      EXPECT_EQ(refused.error().code(), Errc::enforcement_mismatch);
      EXPECT_THAT(refused.error().message(), HasSubstr(std::string(name_of(control)) + " (why)"));
      EXPECT_FALSE(refused.error().hint().empty());
    }
  }
}

TEST(Require, NamesAllThatIsMissingAndNothingElse) {
  policy::Spec spec;
  spec.required = {Control::network, Control::memory};
  const auto message = require(judge({}, spec), spec).error().message();
  EXPECT_THAT(message, HasSubstr("network"));
  EXPECT_THAT(message, HasSubstr("memory"));
  EXPECT_THAT(message, Not(HasSubstr("swap")));
}

TEST(Require, AsksForNothingThatIsNotRequired) {
  policy::Spec spec;
  spec.required = {};
  EXPECT_TRUE(require(judge({}, spec), spec).ok());
}

TEST(IsolationOf, IsFullOnlyWhenEverythingIs) {
  auto evidence = all_enforced();
  EXPECT_EQ(isolation_of(evidence), Isolation::full);
  evidence.back().status = kPartial;
  EXPECT_EQ(isolation_of(evidence), Isolation::partial);
}

TEST(IsolationOf, IsNoneWhenNoneOfTheFourThatHoldCodeIsEnforced) {
  EXPECT_EQ(isolation_of(judge({}, policy::Spec{})), Isolation::none);
  EXPECT_EQ(isolation_of(judge({{Control::memory, kEnforced, "", ""}}, policy::Spec{})),
            Isolation::none);
  EXPECT_EQ(isolation_of(judge({{Control::timeout, kEnforced, "", ""}}, policy::Spec{})),
            Isolation::partial);
}

}  // namespace
}  // namespace lazaret::backend
