#include "core/selftest/battery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <string>

// Boxes are played here: what is asked of them, and what is made of their answers.
namespace lazaret::core::selftest {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Probe attempt(const std::string& id) {
  Probe probe;
  probe.id = id;
  probe.code = "code of " + id;
  return probe;
}

Probe program(const std::string& id) {
  Probe probe = attempt(id);
  probe.kind = Kind::program;
  probe.expectation.causes = {"exited"};
  return probe;
}

// A box that answers every attempt with EPERM, but those with "bad" in their name.
ExecutionResult obedient(const ExecutionRequest& request) {
  ExecutionResult result;
  result.meta.backend = "played";
  result.exit_code = 0;
  if (request.on_output) request.on_output(Stream::standard_output, "up\n");
  if (request.arguments.size() != 2) return result;
  json answers = json::object();
  const json given = json::parse(request.arguments[1]);
  for (const json& probe : given["probes"]) {
    const auto id = probe[0].get<std::string>();
    if (id.find("bad") == std::string::npos) answers[id] = {{"errno", "EPERM"}};
  }
  result.value = answers.dump();
  return result;
}

Result<Report> report_of(std::vector<Probe> probes, const Execute& execute, const Call& call = {}) {
  return run_battery(
      {.probes = std::move(probes), .execute = execute, .control = ControlRuns::left_out}, call);
}

TEST(SelftestBattery, JudgesAttemptsTogetherAndProgramsAlone) {
  std::atomic<int> boxes{0};
  const auto report = report_of({attempt("A-01-a"), attempt("A-01-b"), program("E-50-c")},
                                [&boxes](const ExecutionRequest& request) {
                                  ++boxes;
                                  return obedient(request);
                                });
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(boxes, 3) << "the first look, the attempts, the program";
  EXPECT_EQ(report->count(Verdict::blocked), 3U);
  EXPECT_EQ(report->count(Verdict::blocked, 'A'), 2U);
  EXPECT_EQ(report->backend, "played");
  EXPECT_TRUE(report->complete);
}

TEST(SelftestBattery, TriesAnAttemptAloneThatGotNoAnswerAmongOthers) {
  std::atomic<int> boxes{0};
  const auto report = report_of({attempt("A-01-a"), attempt("A-01-bad")},
                                [&boxes](const ExecutionRequest& request) {
                                  ++boxes;
                                  return obedient(request);
                                });
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(boxes, 3);
  EXPECT_EQ(report->findings[0].inside.verdict, Verdict::blocked);
  EXPECT_EQ(report->findings[1].inside.verdict, Verdict::failed);
}

// Sixty-four together, then one half after the other, down to the one: each costs two boxes.
TEST(SelftestBattery, FindsTheOneThatTakesAllOthersWithIt) {
  std::vector<Probe> probes;
  for (int count = 0; count < 64; ++count)
    probes.push_back(attempt((count == 40 ? "A-01-bad" : "A-01-n") + std::to_string(count)));
  std::atomic<int> boxes{0};
  const auto report = report_of(probes, [&boxes](const ExecutionRequest& request) {
    ++boxes;
    ExecutionResult result = obedient(request);
    const bool is_first = request.arguments.size() != 2;
    if (!is_first && request.arguments[1].find("bad") != std::string::npos) result.value.reset();
    return result;
  });
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(boxes, 1 + 1 + 2 * 6);
  EXPECT_EQ(report->count(Verdict::blocked), 63U);
  EXPECT_EQ(report->findings[40].inside.verdict, Verdict::failed);
}

TEST(SelftestBattery, BelievesNoAnswerThatIsNoObject) {
  const auto report = report_of({attempt("A-01-a")}, [](const ExecutionRequest& request) {
    ExecutionResult result = obedient(request);
    result.value = "[1, 2";
    return result;
  });
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->count(Verdict::failed), 1U);
}

TEST(SelftestBattery, UsesTwoBoxesForWhatIsLeftBehind) {
  Probe probe = attempt("A-14-a");
  probe.twice = true;
  std::vector<int> rounds;
  const auto report = report_of({probe}, [&rounds](const ExecutionRequest& request) {
    if (request.arguments.size() == 2)
      rounds.push_back(json::parse(request.arguments[1])["round"].get<int>());
    return obedient(request);
  });
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(rounds, testing::ElementsAre(1, 2));
}

TEST(SelftestBattery, SaysWhyNoBoxCanBeMade) {
  const auto report = report_of({attempt("A-01-a")}, [](const ExecutionRequest&) {
    ExecutionResult result;
    result.meta.cause = Cause::image_missing;
    result.error = ResultError{ErrorType::BackendError, "no such image", {}, "build it"};
    return result;
  });
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message(), HasSubstr("no such image"));
  EXPECT_EQ(report.error().hint(), "build it");
}

TEST(SelftestBattery, StopsWhenItIsInterrupted) {
  std::stop_source stop;
  const auto report = report_of(
      {program("E-50-a"), program("E-50-b"), program("E-50-c"), program("E-50-d")},
      [&stop](const ExecutionRequest& request) {
        stop.request_stop();
        EXPECT_TRUE(request.stop.stop_requested());
        return obedient(request);
      },
      Call{Deadline::never(), stop.get_token()});
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report->complete);
  EXPECT_EQ(report->count(Verdict::not_run), 4U);
  EXPECT_EQ(report->findings[0].inside.detail, "interrupted");
}

TEST(SelftestBattery, JudgesNothingThatAnInterruptCutShort) {
  std::stop_source stop;
  const auto report = report_of(
      {program("E-50-a"), attempt("A-01-a")},
      [&stop](const ExecutionRequest& request) {
        ExecutionResult result = obedient(request);
        if (request.on_output) return result;  // the first look
        stop.request_stop();
        result.meta.cause = Cause::cancelled;
        result.value.reset();
        return result;
      },
      Call{Deadline::never(), stop.get_token()});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->count(Verdict::failed), 0U);
  EXPECT_EQ(report->count(Verdict::not_run), 2U);
}

TEST(SelftestBattery, ReportsEveryProbeAsJson) {
  const auto report = report_of({attempt("A-01-a"), attempt("A-01-bad")}, obedient);
  ASSERT_TRUE(report.ok());
  const json document = json::parse(to_json(*report));
  EXPECT_EQ(document["backend"], "played");
  EXPECT_EQ(document["counts"]["blocked"], 1);
  EXPECT_EQ(document["counts"]["FAILED"], 1);
  EXPECT_EQ(document["probes"][0]["id"], "A-01-a");
  EXPECT_EQ(document["probes"][0]["section"], "A");
  EXPECT_EQ(document["probes"][0]["verdict"], "blocked");
  EXPECT_EQ(document["probes"][0]["control"]["verdict"], "not run");
}

}  // namespace
}  // namespace lazaret::core::selftest
