#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"

// `lazaret doctor`: what it says of this machine is what a run finds.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsSupersetOf;

Json told_by(const Ended& ended) { return Json::parse(ended.out, nullptr, false); }

// What stands there of each control, word for word.
std::map<std::string, Json> applied_in(const Json& evidence) {
  std::map<std::string, Json> all;
  for (const Json& piece : evidence) all[piece["control"]] = {piece["status"], piece["applied"]};
  return all;
}

TEST(CliDoctor, PredictsWhatARunReports) {
  Json doctor = told_by(lazaret({"doctor", "--json"}));
  Json run = told_by(lazaret({"run", "--json", "-c", "1"}));
  EXPECT_EQ(doctor["backends"][0]["name"], run["meta"]["backend"]);
  EXPECT_EQ(doctor["backends"][0]["runtime"], run["meta"]["runtime"]);
  EXPECT_FALSE(doctor["backends"][0]["evidence"].empty());
  EXPECT_EQ(applied_in(doctor["backends"][0]["evidence"]), applied_in(run["meta"]["evidence"]));
}

TEST(CliDoctor, PredictsWhatARunReportsThatAsksForTheSame) {
  const std::vector<std::vector<std::string>> all = {
      {"--profile", "strict", "--memory", "300MiB", "--open-files", "99"},
      {"--profile", "dev", "--mount", "/usr/share:/mnt/share", "--disk", "20MiB"},
      {"--no-subprocess", "--loopback", "--cpus", "0.5", "--require", "memory,subprocess"},
      {"--allow-host", "a.example", "--best-effort"}};
  for (const std::vector<std::string>& asked : all) {
    std::vector<std::string> doctor = {"doctor", "--json"}, run = {"run", "--json", "-c", "1"};
    doctor.insert(doctor.end(), asked.begin(), asked.end());
    run.insert(run.begin() + 2, asked.begin(), asked.end());
    const Json told = told_by(lazaret(doctor)), result = told_by(lazaret(run));
    const Json& native = told["backends"][0];
    EXPECT_EQ(native["usable"].get<bool>(), result["meta"]["cause"] == "exited") << result;
    if (native["usable"]) {
      EXPECT_EQ(applied_in(native["evidence"]), applied_in(result["meta"]["evidence"]));
    }
  }
}

TEST(CliDoctor, SaysThatNothingHereDoesWhatIsAsked) {
  const Ended refused = lazaret({"doctor", "--profile", "gentle"});
  EXPECT_EQ(refused.status, 2) << refused.out;
  EXPECT_THAT(refused.err, HasSubstr("strict, standard, dev"));
  const Json denied = told_by(lazaret({"doctor", "--json", "--memory", "900GiB"}))["backends"][0];
  EXPECT_FALSE(denied["usable"].get<bool>());
  EXPECT_THAT(denied["problem"].get<std::string>(), HasSubstr("memory"));
}

// A runtime that reserves more address space than it may use has less of a limit without a cgroup.
TEST(CliDoctor, PredictsWhatARunOfEachLanguageReports) {
  Invocation patient;
  patient.bound = 240s;
  const Json doctor = told_by(lazaret({"doctor", "--json"}, patient))["backends"][0];
  for (const Json& fact : doctor["languages"]) {
    if (!fact["present"]) continue;
    const std::string language = fact["language"];
    const Json run = told_by(lazaret({"run", "--json", "--lang", language, "-c", "pass"}, patient));
    auto predicted = applied_in(doctor["evidence"]);
    for (const auto& [control, applied] : applied_in(fact.value("evidence", Json::array())))
      predicted[control] = applied;
    EXPECT_EQ(predicted, applied_in(run["meta"]["evidence"])) << language;
  }
}

class CliDoctorOn : public testing::TestWithParam<const char*> {};

// The engine's machine comes with it, and what each language's image says.
TEST_P(CliDoctorOn, PredictsForAnEngineWhatARunReports) {
  const auto options = options_for(GetParam());
  if (!options) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
  const std::string host = *options->host;
  Invocation patient;  // everything is tried on two backends or three
  patient.bound = 240s;
  const Json doctor = told_by(lazaret({"doctor", "--json", "--host", host}, patient));
  const Json run = told_by(
      lazaret({"run", "--json", "--type", GetParam(), "--no-fallback", "--host", host, "-c", "1"}));
  const auto found = std::ranges::find_if(
      doctor["backends"], [](const Json& backend) { return backend["name"] == GetParam(); });
  ASSERT_NE(found, doctor["backends"].end()) << doctor;
  EXPECT_EQ(applied_in((*found)["evidence"]), applied_in(run["meta"]["evidence"]));
  EXPECT_EQ((*found)["runtime"], run["meta"]["runtime"]);
  std::vector<std::string> facts;
  for (const Json& fact : (*found)["host"]) facts.push_back(fact["name"]);
  EXPECT_THAT(facts, IsSupersetOf({"Engine's host", "Engine's user", "Cgroups", "Limits"}));
}

INSTANTIATE_TEST_SUITE_P(EachEngine, CliDoctorOn, testing::Values("docker", "podman"),
                         [](const auto& given) { return std::string(given.param); });

TEST(CliDoctor, TellsOfEveryEndpointThatWasTried) {
  const Json said = told_by(lazaret({"doctor", "--json", "--host", "unix:///nowhere/e.sock"}));
  ASSERT_EQ(said["backends"].size(), 3U);
  for (const Json& backend : said["backends"]) {
    if (backend["name"] == "native") continue;
    ASSERT_EQ(backend["attempts"].size(), 1U) << backend;
    EXPECT_THAT(backend["attempts"][0].get<std::string>(), HasSubstr("/nowhere/e.sock"));
  }
}

// L-52: what is missing comes with what brings it.
TEST(CliDoctor, NamesWhatTheHostOffersAndHowToFixTheRest) {  // L-42
  const std::string text = lazaret({"doctor"}).out;
  for (const char* const name : {"Cgroups v2: ", "User namespaces: ", "Network namespaces: ",
                                 "Landlock: ", "Seccomp: ", "Denial of subprocesses: ",
                                 "Resource limits: "}) {
    EXPECT_THAT(text, HasSubstr(name));
  }
  const Json said = told_by(lazaret({"doctor", "--json"}));
  for (const Json& fact : said["backends"][0]["host"]) {
    EXPECT_NE(fact["note"], "") << fact;
    EXPECT_EQ(fact["present"].get<bool>(), fact["fix"] == "") << fact;
  }
}

// L-12: a host that has both, and its controllers in version 1.
TEST(CliDoctor, SaysThatVersionOneHasTheControllersWhereItHas) {
  std::ifstream controllers("/sys/fs/cgroup/unified/cgroup.controllers");
  const std::string offered(std::istreambuf_iterator<char>(controllers), {});
  if (!controllers || offered.find("memory") != offered.npos)
    GTEST_SKIP() << "this host has no version 2 beside a version 1 that holds the controllers";
  const Json said = told_by(lazaret({"doctor", "--json", "--type", "local"}));
  const Json& fact = said["backends"][0]["host"][0];
  EXPECT_THAT(fact["note"].get<std::string>(), HasSubstr("version 1 holds them and is not used"));
  EXPECT_THAT(fact["fix"].get<std::string>(), HasSubstr("cgroup_no_v1=all"));
}

}  // namespace
}  // namespace lazaret::test
