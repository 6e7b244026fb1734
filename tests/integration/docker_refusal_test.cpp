#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "integration/docker_bed.hpp"

// Somebody between us and a real engine takes one field out of the create request: the container is
// never given a job, and nothing of it stays.
namespace lazaret::test {
namespace {

class DockerRefusalTest : public DockerBed {};
INSTANTIATE_TEST_SUITE_P(Engines, DockerRefusalTest, testing::Values("docker", "podman"),
                         engine_name);

using nlohmann::json;

const std::vector<const char*>& paths_of_both() {
  // Not /User: our images say 65534 themselves, so a box without it is held just the same.
  static const std::vector<const char*> paths = {"/Hostname",
                                                 "/Entrypoint",
                                                 "/HostConfig",
                                                 "/HostConfig/NetworkMode",
                                                 "/HostConfig/ReadonlyRootfs",
                                                 "/HostConfig/CapDrop",
                                                 "/HostConfig/SecurityOpt",
                                                 "/HostConfig/SecurityOpt/0",
                                                 "/HostConfig/SecurityOpt/1",
                                                 "/HostConfig/Tmpfs",
                                                 "/HostConfig/Mounts",
                                                 "/HostConfig/LogConfig",
                                                 "/HostConfig/Memory",
                                                 "/HostConfig/MemorySwap",
                                                 "/HostConfig/NanoCpus",
                                                 "/HostConfig/PidsLimit",
                                                 "/HostConfig/Ulimits",
                                                 "/HostConfig/Ulimits/0",
                                                 "/HostConfig/Ulimits/1",
                                                 "/HostConfig/Ulimits/2",
                                                 "/HostConfig/ShmSize"};
  return paths;
}

// What Podman does not look at, or does by itself (P-42).
const std::vector<const char*>& paths_of_docker() {
  static const std::vector<const char*> paths = {
      "/NetworkDisabled",          "/HostConfig/CgroupnsMode",    "/HostConfig/MaskedPaths",
      "/HostConfig/ReadonlyPaths", "/HostConfig/OomScoreAdj",     "/HostConfig/Tmpfs/~1work",
      "/HostConfig/Tmpfs/~1tmp",   "/HostConfig/Tmpfs/~1dev~1shm"};
  return paths;
}

// Engines refuse some of these requests by themselves, which is as good.
bool refused(const Error& error) {
  return error.code() == Errc::enforcement_mismatch || error.code() == Errc::engine ||
         error.code() == Errc::invalid_argument;
}

TEST_P(DockerRefusalTest, OpensNothingWhenAFieldIsTakenOutOnTheWay) {
  std::vector<const char*> paths = paths_of_both();
  if (is_docker()) paths.insert(paths.end(), paths_of_docker().begin(), paths_of_docker().end());
  policy::Spec spec = spec_of({"true"});
  spec.limits.disk_bytes = 32ULL << 20;  // not what Docker gives /dev/shm by itself
  for (const Control control : all_controls()) {
    if (is_docker() || control != Control::cgroup_view) spec.required.insert(control);
  }
  ASSERT_NE(open(spec), nullptr) << "the twin: untouched, it opens";
  for (const char* const path : paths) {
    SCOPED_TRACE(path);
    const auto weak = stripped([path](json& body) {
      body = body.patch(json::array({{{"op", "remove"}, {"path", path}}}));
    });
    const auto box = weak->open(spec, within_seconds(30));
    ASSERT_FALSE(box.ok());
    EXPECT_TRUE(refused(box.error())) << box.error().message();
  }
}

TEST_P(DockerRefusalTest, OpensNothingWhenAFieldIsLoosenedOnTheWay) {
  const std::vector<std::pair<const char*, json>> changes = {
      {"/User", "0:0"},
      {"/HostConfig/Privileged", true},
      {"/HostConfig/NetworkMode", "host"},
      {"/HostConfig/PidMode", "host"},
      {"/HostConfig/IpcMode", "host"},
      {"/HostConfig/CapAdd", json::array({"SYS_ADMIN"})},
      {"/HostConfig/Binds", json::array({"/:/host"})},
      {"/HostConfig/SecurityOpt", json::array({"no-new-privileges:true", "seccomp=unconfined"})},
  };
  policy::Spec spec = spec_of({"true"});
  spec.required.insert(Control::syscalls);
  spec.required.insert(Control::processes);
  spec.required.insert(Control::ipc);
  for (const auto& [path, value] : changes) {
    SCOPED_TRACE(path);
    const auto weak = stripped([at = path, to = value](json& body) {
      body = body.patch(json::array({{{"op", "add"}, {"path", at}, {"value", to}}}));
    });
    const auto box = weak->open(spec, within_seconds(30));
    ASSERT_FALSE(box.ok());
    EXPECT_TRUE(refused(box.error())) << box.error().message();
  }
}

}  // namespace
}  // namespace lazaret::test
