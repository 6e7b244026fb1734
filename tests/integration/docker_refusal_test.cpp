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

enum class Engine { docker, podman };

// Not the user: our images say 65534 themselves, so a box without it is held just the same.
const std::vector<const char*>& paths_of(Engine engine) {
  static const std::vector<const char*> docker = {"/Hostname",
                                                  "/Labels",
                                                  "/Labels/dev.lazaret.instance",
                                                  "/Entrypoint",
                                                  "/NetworkDisabled",
                                                  "/HostConfig",
                                                  "/HostConfig/NetworkMode",
                                                  "/HostConfig/ReadonlyRootfs",
                                                  "/HostConfig/CapDrop",
                                                  "/HostConfig/SecurityOpt",
                                                  "/HostConfig/SecurityOpt/0",
                                                  "/HostConfig/SecurityOpt/1",
                                                  "/HostConfig/Tmpfs",
                                                  "/HostConfig/Tmpfs/~1work",
                                                  "/HostConfig/Tmpfs/~1tmp",
                                                  "/HostConfig/Tmpfs/~1dev~1shm",
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
                                                  "/HostConfig/ShmSize",
                                                  "/HostConfig/CgroupnsMode",
                                                  "/HostConfig/MaskedPaths",
                                                  "/HostConfig/ReadonlyPaths",
                                                  "/HostConfig/OomScoreAdj"};
  // Not read_write_tmpfs, which 4.3 does not know, nor image_volume_mode: our images have none.
  static const std::vector<const char*> podman = {"/hostname",
                                                  "/labels",
                                                  "/labels/dev.lazaret.instance",
                                                  "/entrypoint",
                                                  "/netns",
                                                  "/read_only_filesystem",
                                                  "/cap_drop",
                                                  "/no_new_privileges",
                                                  "/seccomp_profile_path",
                                                  "/resource_limits",
                                                  "/resource_limits/memory",
                                                  "/resource_limits/memory/swap",
                                                  "/resource_limits/cpu",
                                                  "/resource_limits/pids",
                                                  "/r_limits",
                                                  "/r_limits/0",
                                                  "/r_limits/1",
                                                  "/r_limits/2",
                                                  "/shm_size",
                                                  "/volumes",
                                                  "/volumes/1",
                                                  "/volumes/2",
                                                  "/volumes/3",
                                                  "/log_configuration",
                                                  "/mask"};
  return engine == Engine::docker ? docker : podman;
}

const std::vector<std::pair<const char*, json>>& changes_of(Engine engine) {
  static const std::vector<std::pair<const char*, json>> docker = {
      {"/User", "0:0"},
      {"/HostConfig/Privileged", true},
      {"/HostConfig/NetworkMode", "host"},
      {"/HostConfig/PidMode", "host"},
      {"/HostConfig/IpcMode", "host"},
      {"/HostConfig/CgroupnsMode", "host"},
      {"/HostConfig/CgroupParent", "/lazaret-elsewhere"},
      {"/HostConfig/CapAdd", json::array({"SYS_ADMIN"})},
      {"/HostConfig/Binds", json::array({"/:/host"})},
      {"/HostConfig/SecurityOpt", json::array({"no-new-privileges:true", "seccomp=unconfined"})},
  };
  static const std::vector<std::pair<const char*, json>> podman = {
      {"/user", "0:0"},
      {"/privileged", true},
      {"/netns/nsmode", "host"},
      {"/pidns/nsmode", "host"},
      {"/ipcns/nsmode", "host"},
      {"/cgroupns/nsmode", "host"},
      {"/cgroup_parent", "/lazaret-elsewhere"},
      {"/cap_add", json::array({"SYS_ADMIN"})},
      {"/mounts", json::array({{{"type", "bind"}, {"source", "/"}, {"destination", "/host"}}})},
      {"/seccomp_profile_path", "unconfined"},
  };
  return engine == Engine::docker ? docker : podman;
}

// Engines refuse some of these requests by themselves, which is as good.
bool refused(const Error& error) {
  return error.code() == Errc::enforcement_mismatch || error.code() == Errc::engine ||
         error.code() == Errc::invalid_argument;
}

TEST_P(DockerRefusalTest, OpensNothingWhenAFieldIsTakenOutOnTheWay) {
  policy::Spec spec = spec_of({"true"});
  spec.limits.disk_bytes = 32ULL << 20;  // not what Docker gives /dev/shm by itself
  for (const Control control : all_controls()) spec.required.insert(control);
  ASSERT_NE(open(spec), nullptr) << "the twin: untouched, it opens";
  for (const char* const path : paths_of(is_docker() ? Engine::docker : Engine::podman)) {
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
  policy::Spec spec = spec_of({"true"});
  for (const Control control : all_controls()) spec.required.insert(control);
  for (const auto& [path, value] : changes_of(is_docker() ? Engine::docker : Engine::podman)) {
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
