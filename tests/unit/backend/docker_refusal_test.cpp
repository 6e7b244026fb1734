#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "backend/docker/docker_backend.hpp"
#include "soon.hpp"
#include "unit/backend/fake_daemon.hpp"

// A daemon that leaves out or loosens one field at a time: no code may run in what it makes (P-40).
namespace lazaret::backend::docker::test {
namespace {

using lazaret::test::soon;

policy::Spec strict_spec() {
  policy::Spec spec;
  spec.language = "python";
  spec.image = "lazaret/python:latest";
  spec.program.argv = {"python3"};
  for (const Control control : all_controls()) spec.required.insert(control);
  return spec;
}

Result<std::unique_ptr<Box>> open_reported(FakeDaemon& daemon, const policy::Spec& spec) {
  auto client =
      engine::EngineClient::negotiate(std::make_unique<FakeDaemonDialer>(daemon), {}, soon());
  if (!client.ok()) return std::move(client).error();
  auto leases =
      std::make_shared<Leases>(std::nullopt, "", Instance{"0123456789abcdef", 7, "1", "b"});
  auto backend = DockerBackend::create(std::move(client).value(), std::move(leases));
  if (!backend.ok()) return std::move(backend).error();
  return (*backend)->open(spec, soon());
}

Result<std::unique_ptr<Box>> open_with(FakeDaemon& daemon, const policy::Spec& spec) {
  daemon.report = good_report(spec);
  return open_reported(daemon, spec);
}

Result<std::unique_ptr<Box>> open_with(FakeDaemon& daemon) {
  return open_with(daemon, strict_spec());
}

// One way in which a daemon does less than it was told: a JSON patch on the create body.
struct Weakening {
  const char* name;
  json patch;
};
json with(const std::string& path, json value) {
  return json::array({{{"op", "add"}, {"path", path}, {"value", std::move(value)}}});
}

const std::vector<Weakening>& weakenings_of_docker() {
  static const std::vector<Weakening> list = {
      {"UserRoot", with("/User", "0:0")},
      {"LabelOfAnother", with("/Labels/dev.lazaret.instance", "another")},
      {"CmdAdded", with("/Cmd", json::array({"sh"}))},
      {"TtyGiven", with("/Tty", true)},
      {"NetworkModeBridge", with("/HostConfig/NetworkMode", "bridge")},
      {"NetworkModeHost", with("/HostConfig/NetworkMode", "host")},
      {"PrivilegedGiven", with("/HostConfig/Privileged", true)},
      {"CapAddGiven", with("/HostConfig/CapAdd", json::array({"SYS_ADMIN"}))},
      {"GroupAddGiven", with("/HostConfig/GroupAdd", json::array({"0"}))},
      {"SysctlsGiven", with("/HostConfig/Sysctls", {{"net.ipv4.ip_forward", "1"}})},
      {"SeccompUnconfined", with("/HostConfig/SecurityOpt",
                                 json::array({"no-new-privileges:true", "seccomp=unconfined"}))},
      {"MemoryRaised", with("/HostConfig/Memory", 1LL << 40)},
      {"MemorySwapUnlimited", with("/HostConfig/MemorySwap", -1)},
      {"OomKillDisabled", with("/HostConfig/OomKillDisable", true)},
      {"PidsLimitUnlimited", with("/HostConfig/PidsLimit", 0)},
      {"UlimitHardRaised", with("/HostConfig/Ulimits/0/Hard", 1 << 20)},
      {"PidModeHost", with("/HostConfig/PidMode", "host")},
      {"UtsModeHost", with("/HostConfig/UTSMode", "host")},
      {"RunnerMountWritable", with("/HostConfig/Mounts/0/ReadOnly", false)},
      {"DevicesGiven", with("/HostConfig/Devices", json::array({{{"PathOnHost", "/dev/sda"}}}))},
      {"VolumesFromGiven", with("/HostConfig/VolumesFrom", json::array({"other"}))},
      {"PortsPublished", with("/HostConfig/PortBindings", {{"80/tcp", json::array()}})},
      {"AutoRemoveGiven", with("/HostConfig/AutoRemove", true)},
      {"RestartAlways", with("/HostConfig/RestartPolicy/Name", "always")},
      {"CgroupnsModeHost", with("/HostConfig/CgroupnsMode", "host")},
      {"IpcModeShareable", with("/HostConfig/IpcMode", "shareable")},
      {"TmpTmpfsUnbounded", with("/HostConfig/Tmpfs/~1tmp", "rw,nosuid,nodev")},
      {"BindGiven", with("/HostConfig/Binds", json::array({"/:/host"}))},
      {"InitGiven", with("/HostConfig/Init", true)},
      {"CgroupParentGiven", with("/HostConfig/CgroupParent", "/elsewhere")},
      {"UsernsModeHost", with("/HostConfig/UsernsMode", "host")},
      {"GraphicsGiven", with("/HostConfig/DeviceRequests", json::array({{{"Count", -1}}}))},
      {"DeviceRulesGiven", with("/HostConfig/DeviceCgroupRules", json::array({"a *:* rwm"}))},
      {"LinksGiven", with("/HostConfig/Links", json::array({"/other:/box/other"}))},
  };
  return list;
}

const std::vector<Weakening>& weakenings_of_podman() {
  static const std::vector<Weakening> list = {
      {"UserRoot", with("/user", "0:0")},
      {"LabelOfAnother", with("/labels/dev.lazaret.instance", "another")},
      {"CommandAdded", with("/command", json::array({"sh"}))},
      {"TerminalGiven", with("/terminal", true)},
      {"NetworkHost", with("/netns/nsmode", "host")},
      {"PidHost", with("/pidns/nsmode", "host")},
      {"IpcHost", with("/ipcns/nsmode", "host")},
      {"UtsHost", with("/utsns/nsmode", "host")},
      {"CgroupHost", with("/cgroupns/nsmode", "host")},
      {"UserNamespaceGiven", with("/userns", {{"nsmode", "host"}})},
      {"PrivilegedGiven", with("/privileged", true)},
      {"CapAddGiven", with("/cap_add", json::array({"SYS_ADMIN"}))},
      {"GroupsGiven", with("/groups", json::array({"0"}))},
      {"SeccompUnconfined", with("/seccomp_profile_path", "unconfined")},
      {"MemoryRaised", with("/resource_limits/memory/limit", 1LL << 40)},
      {"SwapUnlimited", with("/resource_limits/memory/swap", -1)},
      {"OomKillDisabled", with("/resource_limits/memory/disableOOMKiller", true)},
      {"CpuPeriodShortened", with("/resource_limits/cpu/period", 1000)},
      {"PidsUnlimited", with("/resource_limits/pids/limit", -1)},
      {"CgroupParentGiven", with("/cgroup_parent", "/elsewhere")},
      {"RlimitHardRaised", with("/r_limits/0/hard", 1 << 20)},
      {"RunnerVolumeWritable", with("/volumes/0/Options/0", "rw")},
      {"DevicesGiven", with("/devices", json::array({{{"path", "/dev/sda"}}}))},
      {"VolumesFromGiven", with("/volumes_from", json::array({"other"}))},
      {"PortsPublished", with("/portmappings", {{"80/tcp", json::array()}})},
      {"RemoveGiven", with("/remove", true)},
      {"RestartAlways", with("/restart_policy", "always")},
  };
  return list;
}

struct Case {
  Kind kind;
  const Weakening* weakening;
};
void PrintTo(const Case& example, std::ostream* out) { *out << example.weakening->name; }
std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Weakening& weakening : weakenings_of_docker()) {
    cases.push_back({Kind::docker, &weakening});
  }
  for (const Weakening& weakening : weakenings_of_podman()) {
    cases.push_back({Kind::podman, &weakening});
  }
  return cases;
}
std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  return std::string(info.param.kind == Kind::docker ? "Docker" : "Podman") +
         info.param.weakening->name;
}

class DockerRefusal : public testing::TestWithParam<Case> {};

TEST_P(DockerRefusal, RunsNothingInAContainerThatIsNotWhatWasAsked) {
  FakeDaemon daemon;
  daemon.kind = GetParam().kind;
  daemon.weaken = [](json& body) { body = body.patch(GetParam().weakening->patch); };
  const auto box = open_with(daemon);
  ASSERT_FALSE(box.ok());
  EXPECT_EQ(box.error().code(), Errc::enforcement_mismatch) << box.error().message();
  EXPECT_FALSE(daemon.was_asked("POST /containers/lazaret-0123456789abcdef-0/start"));
  EXPECT_TRUE(daemon.was_asked("DELETE /containers/lazaret-0123456789abcdef-0"));
  EXPECT_EQ(daemon.job, "");
}
INSTANTIATE_TEST_SUITE_P(EachField, DockerRefusal, testing::ValuesIn(all_cases()), name_of_case);

// Fields on which no control hangs: dropping one changes how we work, not what the code may do, or
// gives the engine's default, which is what was asked.
bool is_harmless(const std::string& path) {
  static const std::set<std::string> paths = {
      "/Image", "/Cmd", "/WorkingDir", "/Env", "/OpenStdin", "/StdinOnce", "/AttachStdin",
      "/AttachStdout", "/AttachStderr", "/Tty", "/StopSignal", "/HostConfig/Privileged",
      "/HostConfig/AutoRemove", "/HostConfig/RestartPolicy", "/HostConfig/Init",
      // Podman's
      "/name", "/image", "/command", "/work_dir", "/env", "/stdin", "/terminal", "/stop_signal",
      "/privileged", "/remove", "/restart_policy", "/init", "/systemd", "/sdnotifyMode",
      "/env_host", "/httpproxy", "/ipcns", "/pidns", "/utsns",
      // Not shown by inspect; the runner's report tells whether they hold.
      "/mask", "/seccomp_profile_path", "/volumes/0/Options/1", "/volumes/1/Options",
      "/volumes/2/Options", "/volumes/3/Options"};
  return std::ranges::any_of(paths, [&path](const std::string& harmless) {
    return path == harmless || path.starts_with(harmless + "/");
  });
}

// Each leaf of what was sent, and all that it is in.
std::set<std::string> fields_of(const json& body) {
  std::set<std::string> fields;
  const json flat = body.flatten();
  for (const auto& [leaf, value] : flat.items()) {
    for (json::json_pointer at(leaf); !at.empty(); at = at.parent_pointer())
      fields.insert(at.to_string());
  }
  return fields;
}

class DockerRefusalOf : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(Each, DockerRefusalOf, testing::Values(Kind::docker, Kind::podman),
                         [](const auto& given) { return std::string(name_of(given.param)); });

TEST_P(DockerRefusalOf, MissesEachFieldThatIsDropped) {
  FakeDaemon whole;
  whole.kind = GetParam();
  ASSERT_TRUE(open_with(whole).ok());
  const std::set<std::string> fields = fields_of(whole.sent);
  EXPECT_GT(fields.size(), 60U);
  for (const std::string& field : fields) {
    if (is_harmless(field)) continue;
    FakeDaemon daemon;
    daemon.kind = GetParam();
    daemon.weaken = [&field](json& body) {
      body = body.patch(json::array({{{"op", "remove"}, {"path", field}}}));
    };
    const auto box = open_with(daemon);
    EXPECT_FALSE(box.ok()) << field;
    if (!box.ok()) {
      EXPECT_EQ(box.error().code(), Errc::enforcement_mismatch) << field;
    }
    EXPECT_EQ(daemon.job, "") << field;
  }
}

TEST(DockerRefusal, RefusesAFilterThatIsNotOurs) {
  FakeDaemon daemon;
  daemon.kind = Kind::podman;
  policy::Spec spec = strict_spec();
  daemon.report = good_report(spec);
  // What Podman's own filter leaves open.
  daemon.report += "probe.keyctl=0\n";
  const auto box = open_reported(daemon, spec);
  ASSERT_FALSE(box.ok());
  EXPECT_EQ(box.error().code(), Errc::enforcement_mismatch);
  EXPECT_EQ(daemon.job, "");
}

TEST(DockerRefusal, BelievesNoContainerThatHasAnAddress) {
  FakeDaemon daemon;
  daemon.tamper = [](json& seen) {
    seen["NetworkSettings"]["Networks"]["bridge"]["IPAddress"] = "172.17.0.2";
  };
  const auto box = open_with(daemon);
  ASSERT_FALSE(box.ok());
  EXPECT_EQ(box.error().code(), Errc::enforcement_mismatch);
}

TEST(DockerRefusal, TakesALimitThatIsDiscardedWithAWarningForMissing) {  // P-39
  FakeDaemon daemon;
  daemon.warnings = {"Your kernel does not support pids limit capabilities. PIDs limit discarded."};
  const auto box = open_with(daemon);
  ASSERT_FALSE(box.ok());
  EXPECT_EQ(box.error().code(), Errc::enforcement_mismatch);
  EXPECT_NE(box.error().message().find("pids"), std::string::npos);
}

TEST(DockerRefusal, KeepsAnyOtherWarningForTheUser) {
  FakeDaemon daemon;
  daemon.warnings = {"the image is old"};
  const auto box = open_with(daemon);
  ASSERT_TRUE(box.ok());
  EXPECT_THAT((*box)->warnings(), testing::ElementsAre("the image is old"));
}

TEST(DockerRefusal, RefusesAVolumeThatStaysWritable) {
  FakeDaemon daemon;
  daemon.tamper = [](json& seen) {
    seen["Mounts"].push_back(
        {{"Type", "volume"}, {"Name", "9f"}, {"Destination", "/data"}, {"RW", true}});
  };
  const auto box = open_with(daemon);
  ASSERT_FALSE(box.ok());
  EXPECT_EQ(box.error().code(), Errc::enforcement_mismatch);
}

TEST(DockerRefusal, RefusesWhatOnlyTheRunnerSees) {
  FakeDaemon daemon;
  const policy::Spec spec = strict_spec();
  daemon.report = good_report(spec) + "net=  eth0: 0 0\n";
  const auto box = open_reported(daemon, spec);
  ASSERT_FALSE(box.ok());
  EXPECT_EQ(box.error().code(), Errc::enforcement_mismatch);
  EXPECT_EQ(daemon.job, "");
}

TEST(DockerRefusal, LetsARequirementGoThatWasNotMade) {
  FakeDaemon daemon;
  daemon.weaken = [](json& body) { body["HostConfig"].erase("PidsLimit"); };
  policy::Spec spec = strict_spec();
  spec.required = default_required_controls();
  const auto box = open_with(daemon, spec);
  ASSERT_TRUE(box.ok()) << box.error().message();
  for (const Evidence& piece : (*box)->evidence()) {
    EXPECT_EQ(piece.status, piece.control == Control::pids ? EvidenceStatus::not_enforced
                                                           : EvidenceStatus::enforced);
  }
}

}  // namespace
}  // namespace lazaret::backend::docker::test
