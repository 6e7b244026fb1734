#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/environment.hpp"
#include "core/service.hpp"
#include "integration/battery_bed.hpp"
#include "integration/support.hpp"
#include "places.hpp"

// The escape battery on every backend, and what it says of boxes that lack one control.
namespace lazaret::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;

// The ways around a proxy are tried beside one where there is one.
bool was_beside_a_proxy(const Report& report) {
  return std::ranges::none_of(report.findings, [](const Finding& finding) {
    return finding.inside.detail.find("without a way out") != std::string::npos;
  });
}

class SelftestOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
  }
};
INSTANTIATE_TEST_SUITE_P(EachBackend, SelftestOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(SelftestOn, FindsNoWayOutOfTheBox) {
  const CodeSandbox sandbox = sandbox_on(GetParam());
  const Report report = report_of(
      probes_named({}),
      [&sandbox](const ExecutionRequest& request) { return sandbox.execute(request); },
      ControlRuns::made);
  for (const Finding& finding : report.findings) {
    const bool good = finding.inside.verdict == Verdict::blocked ||
                      finding.inside.verdict == Verdict::works ||
                      finding.inside.verdict == Verdict::by_design;
    EXPECT_TRUE(good) << finding.probe.id << " " << name_of(finding.inside.verdict) << ": "
                      << finding.inside.detail;
  }
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.backend, GetParam());
  EXPECT_EQ(was_beside_a_proxy(report), report.backend == "native");
  EXPECT_GE(report.findings.size(), 150U + report.count(Verdict::works));
  EXPECT_GE(report.count(Verdict::works), 25U);
  if (::geteuid() == 0) {
    EXPECT_GE(report.count(Proof::proves), 300U);
  }
}

class SelftestAs : public testing::TestWithParam<Caller> {
 protected:
  void SetUp() override {
    if (!can_be(GetParam())) LAZARET_SKIP_OR_FAIL("root", "this test is not run by root");
  }
};
INSTANTIATE_TEST_SUITE_P(Whoever, SelftestAs, testing::Values(Caller::user, Caller::user_with_ids),
                         [](const auto& given) { return name_of(given.param); });

// Natively his boxes are made in other ways than root's. Most controls would prove nothing.
TEST_P(SelftestAs, FindsNoWayOutOfTheBox) {
  const auto text = in_child(GetParam(), [] {
    return lazaret({"selftest", "--json", "--type", "local", "--no-control"}).out;
  });
  const Json table = Json::parse(text.value_or(""), nullptr, false);
  ASSERT_TRUE(table.is_object()) << text.value_or("nothing");
  EXPECT_EQ(table["backend"], "native");
  EXPECT_GE(table["probes"].size(), 800U);
  for (const Json& probe : table["probes"])
    EXPECT_THAT(probe["verdict"].get<std::string>(),
                testing::AnyOf("blocked", "works", "allowed by design"))
        << probe;
}

// A box of bubblewrap's, with the attempts that are made without one: they never harm.
ExecutionResult in_bubblewrap(const ExecutionRequest& request, const char* network) {
  ExecutionResult result;
  result.exit_code = 0;
  if (request.on_output) request.on_output(Stream::standard_output, "up\n");
  if (request.arguments.size() != 2) return result;
  const Ended ended = run_program({.argv = {"bwrap",
                                            "--unshare-all",
                                            network,
                                            "--die-with-parent",
                                            "--cap-drop",
                                            "ALL",
                                            "--ro-bind",
                                            "/usr",
                                            "/usr",
                                            "--symlink",
                                            "usr/lib",
                                            "/lib",
                                            "--symlink",
                                            "usr/lib64",
                                            "/lib64",
                                            "--symlink",
                                            "usr/bin",
                                            "/bin",
                                            "--proc",
                                            "/proc",
                                            "--dev",
                                            "/dev",
                                            "--tmpfs",
                                            "/tmp",
                                            "python3",
                                            "-c",
                                            request.code,
                                            "bare",
                                            request.arguments[1]}});
  result.value = ended.out;
  result.stderr_text = ended.err;
  return result;
}

bool has_bubblewrap() { return run_program({.argv = {"bwrap", "--version"}}).status == 0; }

const std::vector<std::string>& network_rows() {
  static const std::vector<std::string> rows = {"F-62", "F-63", "F-64", "F-65", "F-70",
                                                "A-01", "A-02", "A-05", "B-33", "E-46"};
  return rows;
}

std::vector<Probe> without_noise(std::vector<Probe> probes) {
  // Bubblewrap sets its loopback up, and nothing of it is in the way of listing the first process.
  // It was given all of /usr.
  const std::set<std::string> others = {"F-64-other-loopback", "A-02-planted-usr-local-etc",
                                        "A-02-planted-usr-src"};
  std::erase_if(probes, [&others](const Probe& probe) {
    return others.contains(probe.id) || probe.id.starts_with("B-33-init");
  });
  return probes;
}

TEST(SelftestWeakened, BlocksTheNetworkProbesInASandboxOfAnotherMake) {
  if (!has_bubblewrap()) LAZARET_SKIP_OR_FAIL("bubblewrap", "bwrap is not installed");
  const Report report = report_of(
      without_noise(probes_named(network_rows())),
      [](const ExecutionRequest& request) { return in_bubblewrap(request, "--unshare-net"); },
      ControlRuns::left_out);
  EXPECT_THAT(failed(report), IsEmpty());
}

TEST(SelftestWeakened, FailsExactlyTheNetworkProbesInASandboxThatSharesTheNetwork) {
  if (!has_bubblewrap()) LAZARET_SKIP_OR_FAIL("bubblewrap", "bwrap is not installed");
  const Report report = report_of(
      without_noise(probes_named(network_rows())),
      [](const ExecutionRequest& request) { return in_bubblewrap(request, "--share-net"); },
      ControlRuns::left_out);
  EXPECT_THAT(failed(report), IsSupersetOf({"F-62-tcp4", "F-62-udp4", "F-63-abstract"}));
  EXPECT_THAT(beyond(failed(report), {"F-62", "F-63", "F-64", "F-65", "F-70"}), IsEmpty());
}

// What fails natively where each attempt is made under another profile than the standard one.
std::set<std::string> failed_under(Profile profile) {
  const CodeSandbox sandbox = sandbox_on("native");
  const auto execute = [&sandbox, profile](ExecutionRequest request) {
    request.profile = profile;
    request.loopback = Loopback::down;
    request.subprocess = Subprocess::allow;  // for what the attempts are made by
    return sandbox.execute(request);
  };
  return failed(report_of(attempts(), execute, ControlRuns::left_out));
}

TEST(SelftestWeakened, FailsExactlyTheProbesOfTracingUnderTheProfileThatTraces) {
  const auto ids = failed_under(Profile::dev);
  EXPECT_THAT(ids, IsSupersetOf({"E-47-traceme", "G-72-personality-no-random"}));
  EXPECT_THAT(beyond(ids, {"E-47", "G-72-personality-no-random"}), IsEmpty());
}

TEST(SelftestWeakened, FailsExactlyTheProbesOfThisMachineWhereItsConfigurationLetsItBeReached) {
  const auto execute = [](const ExecutionRequest& request) {
    policy::Config config;
    config.egress_hosts.insert(request.hosts.begin(), request.hosts.end());
    return core::make_service(config)->execute(request);
  };
  const Report report = report_of(attempts(), execute, ControlRuns::left_out);
  EXPECT_EQ(failed(report), (std::set<std::string>{"F-70-proxy-host", "F-70-proxy-host-plain"}));
  EXPECT_TRUE(was_beside_a_proxy(report));
}

// Who does not answer has refused nothing.
TEST(SelftestWeakened, FailsWhatIsAskedOfAProxyThatIsNotThere) {
  const CodeSandbox sandbox = sandbox_on("native");
  const auto execute = [&sandbox](ExecutionRequest request) {
    request.hosts.clear();
    return sandbox.execute(request);
  };
  const auto ids =
      failed(report_of(probes_named({"F-69", "F-70"}), execute, ControlRuns::left_out));
  EXPECT_THAT(ids, IsSupersetOf({"F-69-proxy-name", "F-69-proxy-plain", "F-70-proxy-host"}));
  EXPECT_THAT(beyond(ids, {"F-69-proxy-", "F-70-proxy-"}), IsEmpty());
}

TEST(SelftestWeakened, TriesWithoutAWayOutWhereTheConfigurationLetsNobodyBeReached) {
  policy::Config config;
  config.egress_hosts = {"none"};
  const auto service = core::make_service(config);
  const auto execute = [&service](const ExecutionRequest& r) { return service->execute(r); };
  const Report report = report_of(probes_named({"F-69", "F-70"}), execute, ControlRuns::left_out);
  EXPECT_THAT(failed(report), IsEmpty());
  EXPECT_FALSE(was_beside_a_proxy(report));
}

TEST(SelftestOfProfiles, FindsNoWayOutUnderTheStrictOne) {
  EXPECT_THAT(failed_under(Profile::strict), IsEmpty());
}

TEST(SelftestCommand, ListsItsProbesWithoutRunningOne) {
  const Ended ended =
      lazaret({"selftest", "--list", "--backend", "docker", "--host", "unix:///no"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_GE(std::count(ended.out.begin(), ended.out.end(), '\n'), 175);
}

// Each line: `| where | probes | why |`.
std::set<std::string> documented_by_design() {
  std::set<std::string> all;
  std::istringstream lines(file_text(in_checkout("docs/threat-model.md")));
  for (std::string line; std::getline(lines, line);) {
    const std::string where = line.starts_with("| ") ? line.substr(2, line.find(" |", 2) - 2) : "";
    if (where != "always" && !where.starts_with("where ") && where != "in containers") continue;
    static const std::regex id("`([A-I]-\\d+-[^`]+)`");
    for (std::sregex_iterator found(line.begin(), line.end(), id), none; found != none; ++found)
      all.insert((*found)[1].str() + " " + std::regex_replace(where, std::regex("`"), ""));
  }
  return all;
}

TEST(SelftestCommand, AllowsByDesignWhatTheThreatModelNamesAndNothingElse) {
  std::set<std::string> said;
  for (const Json& probe : Json::parse(lazaret({"selftest", "--list", "--json"}).out)) {
    if (!probe.contains("by_design")) continue;
    EXPECT_NE(probe["by_design"]["why"], "") << probe;
    said.insert(probe["id"].get<std::string>() + " " +
                probe["by_design"]["where"].get<std::string>());
  }
  EXPECT_EQ(said, documented_by_design());
  EXPECT_FALSE(said.empty());
}

TEST(SelftestCommand, SaysWhatItTriedAndThatItHeld) {
  const Ended ended = lazaret({"selftest", "--only", "A-01-shadow", "G-71-bpf", "W-csv"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("A-01-shadow"));
  EXPECT_THAT(ended.out, HasSubstr("3 held"));
  EXPECT_EQ(ended.err, "");
}

TEST(SelftestCommand, PrintsOneJsonObject) {
  const Ended ended = lazaret({"selftest", "--json", "--only", "A-01-shadow", "--no-control"});
  const Json json = Json::parse(ended.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << ended.out;
  EXPECT_EQ(json["backend"], "native");
  EXPECT_EQ(json["probes"][0]["verdict"], "blocked");
  EXPECT_EQ(json["probes"][0]["control"]["verdict"], "not run");
}

TEST(SelftestCommand, RefusesAnUnknownProbeAndAnAbsentEngine) {
  EXPECT_EQ(lazaret({"selftest", "--only", "Z-99"}).status, 2);
  EXPECT_EQ(lazaret({"selftest", "--only", "A-01-shadow", "--backend", "docker", "--host",
                     "unix:///nonexistent"})
                .status,
            125);
}

// What the battery itself has made: its scene and its folders.
std::set<std::string> own_files(const Leftovers& left) {
  std::set<std::string> own;
  for (const std::string& name : left.files) {
    if (name.find("lazaret-selftest") != std::string::npos) own.insert(name);
  }
  return own;
}

TEST(SelftestCommand, LeavesNothingAfterAnInterrupt) {
  const auto before = own_files(leftovers("native"));
  std::jthread interrupter;
  const Ended ended =
      lazaret({"selftest"}, {.argv = {}, .once_started = [&](pid_t pid) {
                               interrupter = std::jthread([pid, &before] {
                                 (void)becomes_true(std::chrono::seconds(10), [&before] {
                                   return own_files(leftovers("native")) != before;
                                 });
                                 ::kill(pid, SIGINT);
                               });
                             }});
  EXPECT_EQ(ended.status, 130) << ended.err;
  EXPECT_EQ(own_files(leftovers("native")), before);
}

}  // namespace
}  // namespace lazaret::test
