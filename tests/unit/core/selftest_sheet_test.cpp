#include "core/selftest/sheet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/selftest/catalogue.hpp"

namespace lazaret::core::selftest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Probe> parsed(std::string_view text) {
  auto probes = parse_sheet(text);
  EXPECT_TRUE(probes.ok()) << (probes.ok() ? "" : probes.error().message());
  return probes.ok() ? std::move(probes).value() : std::vector<Probe>(1);
}

std::string complaint(std::string_view text) {
  const auto probes = parse_sheet(text);
  return probes.ok() ? "" : probes.error().message();
}

TEST(SelftestSheet, MakesAProbeOfALineAndTheCodeBelowIt) {
  const auto probes = parsed("# of what this is\n#: A-07-fd 7 list the descriptors\none\n  two\n");
  ASSERT_EQ(probes.size(), 1U);
  EXPECT_EQ(probes[0].id, "A-07-fd");
  EXPECT_EQ(probes[0].row, 7);
  EXPECT_EQ(probes[0].section(), 'A');
  EXPECT_EQ(probes[0].title, "list the descriptors");
  EXPECT_EQ(probes[0].code, "one\n  two\n");
  EXPECT_EQ(probes[0].kind, Kind::attempt);
}

TEST(SelftestSheet, MakesAProgramOfAProbeWithAnExpectation) {
  const auto probes = parsed(
      "#: E-53-deaf 53 ignore signals\n"
      "#: limits timeout=1s pids=24 memory=96m\n"
      "#: stdout \"a\\n\"\n"
      "#: expect cause=timeout|signalled survivors=0 seconds=1.5 exit=3\n"
      "pass\n");
  ASSERT_EQ(probes.size(), 1U);
  const Probe& probe = probes[0];
  EXPECT_EQ(probe.kind, Kind::program);
  EXPECT_EQ(probe.limits.timeout, std::chrono::seconds(1));
  EXPECT_EQ(probe.limits.pids, 24U);
  EXPECT_EQ(probe.limits.memory_bytes, 96U << 20);
  EXPECT_EQ(probe.expectation.standard_output, "a\n");
  EXPECT_THAT(probe.expectation.causes, ElementsAre("timeout", "signalled"));
  EXPECT_TRUE(probe.expectation.no_survivors);
  EXPECT_EQ(probe.expectation.seconds, 1.5);
  EXPECT_EQ(probe.expectation.exit_code, 3);
}

TEST(SelftestSheet, KeepsReasonsInFull) {
  const auto probes = parsed(
      "#: A-01-x 1 title\n#: by-design-without memory no group is there\n#: no-control it harms\n");
  EXPECT_EQ(probes[0].by_design_without, Control::memory);
  EXPECT_EQ(probes[0].by_design, "no group is there");
  EXPECT_EQ(probes[0].no_control, "it harms");
  const auto of_engines = parsed("#: A-01-x 1 title\n#: by-design-of-engines they show it\n");
  EXPECT_TRUE(of_engines[0].by_design_of_engines);
  EXPECT_EQ(of_engines[0].by_design, "they show it");
}

TEST(SelftestSheet, NamesTheLineOfAWordThatItDoesNotKnow) {
  EXPECT_THAT(complaint("#: A-01-x 1 title\n#: hopefully yes\n"), HasSubstr("line 2"));
  EXPECT_THAT(complaint("#: A-01-x 1 title\n#: expect mood=good\n"), HasSubstr("mood"));
  EXPECT_THAT(complaint("#: A-01-x 1 title\n#: limits luck=1\n"), HasSubstr("luck"));
}

TEST(SelftestSheet, RefusesAProbeWithoutRowOrTitle) {
  EXPECT_NE(complaint("#: A-01-x one title\n"), "");
  EXPECT_NE(complaint("#: A-01-x 1\n"), "");
  EXPECT_NE(complaint("#: twice\n"), "");
}

TEST(SelftestSheet, RefusesAnExpectationThatCannotBe) {
  for (const char* const text : {"survivors=1", "truncated=perhaps", "exit=x", "enforced=hope"}) {
    EXPECT_NE(complaint("#: A-01-x 1 title\n#: expect " + std::string(text) + "\n"), "") << text;
  }
}

std::vector<Probe> built_in() {
  auto probes = all_probes();
  EXPECT_TRUE(probes.ok()) << (probes.ok() ? "" : probes.error().message());
  return probes.ok() ? std::move(probes).value() : std::vector<Probe>{};
}

TEST(SelftestCatalogue, HoldsHundredsOfProbesAndTwentyFivePrograms) {
  const auto probes = built_in();
  const auto programs = std::count_if(probes.begin(), probes.end(),
                                      [](const Probe& probe) { return probe.section() == 'W'; });
  EXPECT_GE(programs, 25);
  EXPECT_GE(static_cast<long>(probes.size()) - programs, 700);
}

TEST(SelftestCatalogue, NamesEveryProbeOnceAfterItsSectionAndRow) {
  std::set<std::string> names;
  for (const Probe& probe : built_in()) {
    EXPECT_TRUE(names.insert(probe.id).second) << probe.id << " is there twice";
    if (probe.section() == 'W') continue;
    const std::string row = (probe.row < 10 ? "0" : "") + std::to_string(probe.row);
    EXPECT_EQ(probe.id.substr(1, row.size() + 2), "-" + row + "-") << probe.id;
  }
}

TEST(SelftestCatalogue, HasProbesInEverySection) {
  const auto probes = built_in();
  for (const Section& section : sections()) {
    EXPECT_TRUE(std::any_of(probes.begin(), probes.end(), [&section](const Probe& probe) {
      return probe.section() == section.letter;
    })) << section.letter;
  }
}

// Bare, these would end, stop or fill the machine on which they are tried.
TEST(SelftestCatalogue, TriesNothingWithoutABoxThatWouldHarmTheMachine) {
  for (const Probe& probe : built_in()) {
    for (const char* const harmful :
         {"os.kill(-1", "os.kill(1,", "prlimit(1, resource.RLIMIT_NOFILE", "made < 20000",
          "0xFEE1DEAD", "vhangup", "for _ in range(400)", "ptrace\", 16, 1,", "pidfd_open(1)"}) {
      if (probe.code.find(harmful) == std::string::npos) continue;
      EXPECT_NE(probe.no_control, "") << probe.id << " does " << harmful;
    }
    if (probe.limits.memory_bytes || probe.limits.disk_bytes || probe.limits.disk_files) {
      EXPECT_NE(probe.no_control, "") << probe.id;
    }
  }
}

TEST(SelftestCatalogue, ChoosesByNameOrBeginning) {
  const auto one = chosen_probes({"A-07-proc-fd"});
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(one->size(), 1U);
  const auto row = chosen_probes({"A-07", "W"});
  ASSERT_TRUE(row.ok());
  EXPECT_GT(row->size(), 25U);
  for (const Probe& probe : *row) {
    EXPECT_TRUE(probe.id.starts_with("A-07-") || probe.section() == 'W') << probe.id;
  }
}

TEST(SelftestCatalogue, RefusesANameThatMeansNothing) {
  const auto none = chosen_probes({"A-07", "A-0"});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code(), Errc::not_found);
  EXPECT_THAT(none.error().message(), HasSubstr("A-0"));
  EXPECT_NE(none.error().hint(), "");
}

}  // namespace
}  // namespace lazaret::core::selftest
