#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/selftest/battery.hpp"
#include "core/selftest/catalogue.hpp"

/// The escape battery, as tests ask for it and read what it has found.
namespace lazaret::test {

using core::selftest::ControlRuns;
using core::selftest::Execute;
using core::selftest::Finding;
using core::selftest::Kind;
using core::selftest::Probe;
using core::selftest::Proof;
using core::selftest::Report;
using core::selftest::Verdict;

[[nodiscard]] inline std::vector<Probe> probes_named(const std::vector<std::string>& names) {
  auto probes = core::selftest::chosen_probes(names);
  EXPECT_TRUE(probes.ok()) << (probes.ok() ? "" : probes.error().message());
  return probes.ok() ? std::move(probes).value() : std::vector<Probe>{};
}

[[nodiscard]] inline Report report_of(std::vector<Probe> probes, const Execute& execute,
                                      ControlRuns control) {
  auto report = core::selftest::run_battery(
      {.probes = std::move(probes), .execute = execute, .control = control, .workers = 4}, {});
  EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().message());
  return report.ok() ? std::move(report).value() : Report{};
}

[[nodiscard]] inline std::set<std::string> failed(const Report& report) {
  std::set<std::string> ids;
  for (const Finding& finding : report.findings) {
    if (finding.inside.verdict == Verdict::failed) ids.insert(finding.probe.id);
  }
  return ids;
}

// Those whose id begins with none of the words.
[[nodiscard]] inline std::vector<std::string> beyond(
    const std::set<std::string>& ids, const std::vector<std::string>& beginnings) {
  std::vector<std::string> others;
  std::copy_if(ids.begin(), ids.end(), std::back_inserter(others), [&](const std::string& id) {
    return std::none_of(beginnings.begin(), beginnings.end(),
                        [&id](const std::string& begin) { return id.starts_with(begin); });
  });
  return others;
}

[[nodiscard]] inline std::vector<Probe> attempts() {
  std::vector<Probe> probes = probes_named({});
  std::erase_if(probes, [](const Probe& probe) { return probe.kind != Kind::attempt; });
  return probes;
}

}  // namespace lazaret::test
