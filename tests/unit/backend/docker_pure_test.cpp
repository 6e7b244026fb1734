#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "backend/docker/compare.hpp"
#include "backend/docker/differences.hpp"
#include "backend/docker/harden.hpp"
#include "backend/docker/inside.hpp"
#include "backend/docker/local_view.hpp"
#include "backend/docker/seccomp_json.hpp"
#include "places.hpp"

namespace lazaret::backend::docker {
namespace {

using nlohmann::json;

json golden(const std::string& name) {
  std::ifstream file(lazaret::test::in_checkout("tests/unit/backend/docker_golden/" + name));
  return json::parse(file, nullptr, false);
}

json body_for(engine::Kind kind, const std::string& packages_volume = "") {
  static const policy::Spec spec = [] {
    policy::Spec made;
    made.image = "lazaret/python:latest";
    made.limits.cpus = 1.5;
    return made;
  }();
  static const Instance instance{"0123456789abcdef", 7, "4711", "b007", "4026.4027", "5eaf", 1000};
  const std::string name = "lazaret-0123456789abcdef-3";
  return differences_of(kind).body(
      {spec, instance, name, "lazaret-runner-aa", "PROFILE", {}, packages_volume});
}

TEST(DockerHarden, MakesExactlyThisBodyForDocker) {
  EXPECT_EQ(body_for(engine::Kind::docker), golden("docker.json"))
      << body_for(engine::Kind::docker).dump(2);
}

TEST(DockerHarden, MakesExactlyThisBodyForPodman) {
  EXPECT_EQ(body_for(engine::Kind::podman), golden("podman.json"))
      << body_for(engine::Kind::podman).dump(2);
}

TEST(DockerHarden, ShowsPackagesByAVolumeThatCannotBeWrittenTo) {
  const json docker = body_for(engine::Kind::docker, "lazaret-packages-bb");
  EXPECT_EQ(docker["HostConfig"]["Mounts"][1], json::parse(R"({
    "Type": "volume", "Source": "lazaret-packages-bb", "Target": "/mnt/packages",
    "ReadOnly": true, "VolumeOptions": {"NoCopy": true}})"));
  const json podman = body_for(engine::Kind::podman, "lazaret-packages-bb");
  EXPECT_EQ(podman["volumes"][1], json::parse(R"({
    "Name": "lazaret-packages-bb", "Dest": "/mnt/packages", "Options": ["ro", "nocopy"]})"));
}

TEST(DockerHarden, TellsTheRunnerWhatToDenyAtItsStart) {
  policy::Spec spec;
  spec.subprocess = Subprocess::deny;
  EXPECT_EQ(runner_arguments(spec), std::vector<std::string>{"--deny-subprocess"});
  EXPECT_TRUE(runner_arguments({}).empty());
}

TEST(DockerHarden, NeverMountsAPathOfTheHost) {  // P-37
  const json docker = body_for(engine::Kind::docker);
  EXPECT_FALSE(docker["HostConfig"].contains("Binds"));
  for (const json& mount : docker["HostConfig"]["Mounts"]) EXPECT_EQ(mount["Type"], "volume");
  EXPECT_FALSE(body_for(engine::Kind::podman).contains("mounts"));
}

TEST(DockerHarden, LeavesTheScoreOfTheOomKillerToPodman) {  // P-43
  EXPECT_FALSE(body_for(engine::Kind::podman).contains("oom_score_adj"));
}

TEST(DockerHarden, NeverLetsTheEngineRemoveWhatIsStillToBeRead) {  // P-21
  EXPECT_EQ(body_for(engine::Kind::docker)["HostConfig"]["AutoRemove"], false);
  EXPECT_EQ(body_for(engine::Kind::podman)["remove"], false);
}

TEST(DockerSeccomp, AnswersUnknownCallsAsAnOlderKernelWould) {
  const json profile = json::parse(seccomp_json(seccomp::standard_profile(), "amd64"));
  EXPECT_EQ(profile["defaultAction"], "SCMP_ACT_ERRNO");
  EXPECT_EQ(profile["defaultErrnoRet"], 38);
  EXPECT_EQ(profile["architectures"], json::array({"SCMP_ARCH_X86_64"}));
}

TEST(DockerSeccomp, KnowsOnlyTheEnginesOwnArchitecture) {
  const json profile = json::parse(seccomp_json(seccomp::standard_profile(), "arm64"));
  EXPECT_EQ(profile["architectures"], json::array({"SCMP_ARCH_AARCH64"}));
}

TEST(DockerSeccomp, PutsTheMaskFirstAndTheValueSecond) {
  const seccomp::Profile profile{{{"clone", {{0, 0x7E020000, 0}}}}, {{"clone3", 38, {}}}, {}};
  const json made = json::parse(seccomp_json(profile, "amd64"));
  const json argument = made["syscalls"][0]["args"][0];
  EXPECT_EQ(argument["value"], 0x7E020000);
  EXPECT_EQ(argument["valueTwo"], 0);
  EXPECT_EQ(argument["op"], "SCMP_CMP_MASKED_EQ");
  EXPECT_EQ(made["syscalls"][2]["errnoRet"], 38);
}

TEST(DockerSeccomp, NeverAllowsACallThatTheProfileRefuses) {
  const json made = json::parse(seccomp_json(seccomp::standard_profile(), "amd64"));
  for (const json& rule : made["syscalls"]) {
    if (rule["action"] != "SCMP_ACT_ALLOW") continue;
    for (const seccomp::Refused& refused : seccomp::standard_profile().refused) {
      if (!refused.conditions.empty()) continue;
      EXPECT_THAT(rule["names"], testing::Not(testing::Contains(std::string(refused.call))));
    }
  }
}

TEST(DockerSeccomp, KillsTheWholeProcessByTheDeadlyList) {
  const json made = json::parse(seccomp_json(seccomp::standard_profile(), "amd64"));
  const json& last = made["syscalls"].back();
  EXPECT_EQ(last["names"], json(seccomp::standard_profile().deadly));
  EXPECT_EQ(last["action"], "SCMP_ACT_KILL_PROCESS");
}

TEST(DockerSeccomp, RefusesByArgumentsWithAnErrorOfItsOwn) {
  const seccomp::Profile profile{{}, {{"socket", 97, {{0, 0xFFFFFFFF, 2}}}}, {}};
  const json rule = json::parse(seccomp_json(profile, "amd64"))["syscalls"][1];
  EXPECT_EQ(rule["names"], json::array({"socket"}));
  EXPECT_EQ(rule["action"], "SCMP_ACT_ERRNO");
  EXPECT_EQ(rule["errnoRet"], 97);
  EXPECT_EQ(rule["args"][0]["valueTwo"], 2);
}

std::vector<Reading> cgroup_readings(const std::string& text) {
  policy::Spec spec;
  spec.limits.memory_bytes = 1 << 20;
  spec.limits.pids = 8;
  spec.limits.cpus = 0.5;
  return read_cgroup(parse_report(text), spec);
}

bool all_enforced(const std::vector<Reading>& readings) {
  return std::all_of(readings.begin(), readings.end(), [](const Reading& reading) {
    return reading.status == EvidenceStatus::enforced;
  });
}

TEST(DockerInside, ReadsBothVersionsOfCgroups) {
  EXPECT_TRUE(all_enforced(cgroup_readings(
      "cgroup.memory=1048576\ncgroup.swap=0\ncgroup.pids=8\ncgroup.cpu=50000 100000\n")));
  EXPECT_TRUE(
      all_enforced(cgroup_readings("cgroup.memory=1048576\ncgroup.memsw=1048576\ncgroup.pids=8\n"
                                   "cgroup.cpu_quota=50000\ncgroup.cpu_period=100000\n")));
}

TEST(DockerInside, TakesAnUnlimitedOrUnreadableCgroupForMissing) {
  for (const Reading& reading : cgroup_readings(
           "cgroup.memory=max\ncgroup.swap=max\ncgroup.pids=max\ncgroup.cpu=max 100000\n")) {
    EXPECT_EQ(reading.status, EvidenceStatus::not_enforced) << name_of(reading.control);
  }
  for (const Reading& reading : cgroup_readings("")) {
    EXPECT_EQ(reading.status, EvidenceStatus::not_enforced) << name_of(reading.control);
  }
}

TEST(DockerInside, SeesAnOpenKernelFile) {
  const auto here = [](const std::string& path) { return path == "/proc/kcore"; };
  EXPECT_EQ(read_masks(parse_report(""), here).status, EvidenceStatus::not_enforced);
  const SelfReport masked = parse_report("mount=1 0 0:1 /null /proc/kcore rw - tmpfs tmpfs rw\n");
  EXPECT_EQ(read_masks(masked, here).status, EvidenceStatus::enforced);
}

TEST(DockerLocalView, FindsTheCgroupsOfBothVersions) {
  const std::string mounts =
      "30 24 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "31 24 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
      "32 24 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
  const auto found = cgroup_directories(
      "4:memory:/docker/a:b\n3:cpu,cpuacct:/docker/a:b\n0::/docker/a:b\n", mounts);
  EXPECT_EQ(found.at("memory"), "/sys/fs/cgroup/memory/docker/a:b");
  EXPECT_EQ(found.at("cpuacct"), "/sys/fs/cgroup/cpu,cpuacct/docker/a:b");
  EXPECT_EQ(found.at(""), "/sys/fs/cgroup/unified/docker/a:b");
}

TEST(DockerLocalView, TakesAPidForOursOnlyWhenItsNamespacesAreTheReportedOnes) {
  EXPECT_FALSE(LocalView::of(1, parse_report("ns.pid=pid:[1]\n")));
  EXPECT_FALSE(LocalView::of(0, parse_report("")));
}

TEST(DockerCompare, NamesTheLimitThatAWarningSpeaksOf) {
  const auto readings = read_warnings(
      {"Your kernel does not support swap limit capabilities or the cgroup is not mounted. "
       "Memory limited without swap."});
  ASSERT_EQ(readings.size(), 1U);
  EXPECT_EQ(readings[0].control, Control::swap);
}

TEST(DockerCompare, BlamesEveryLimitForAWarningThatNamesNone) {
  EXPECT_EQ(read_warnings({"Limitation discarded."}).size(), 4U);
}

TEST(DockerCompare, SurvivesAnAnswerOfAnyShape) {
  for (const char* const text : {"{}", "[]", "null", R"({"HostConfig":7,"Mounts":{"a":1}})",
                                 R"({"NetworkSettings":{"Networks":[1,null]}})"}) {
    const json seen = json::parse(text);
    for (const engine::Kind kind : {engine::Kind::docker, engine::Kind::podman}) {
      EXPECT_FALSE(compare({kind, body_for(kind), seen}).empty());
    }
  }
}

}  // namespace
}  // namespace lazaret::backend::docker
