#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/environment.hpp"
#include "core/service.hpp"
#include "integration/battery_bed.hpp"
#include "integration/docker_bed.hpp"

// What the escape battery says of containers that lack one control.
namespace lazaret::test {
namespace {

using testing::IsEmpty;
using testing::IsSupersetOf;
using Names = std::vector<std::string>;

// A create request with less in it than ours.
struct Weakness {
  const char* name;
  // JSON patches (RFC 6902); none: the engine cannot be asked for that.
  const char* of_docker;
  const char* of_podman;
  std::set<std::string> fails;     // at least these
  Names may_fail;                  // and of the rest what begins so
  Names tried = {};                // none: every attempt
  std::set<std::string> admits{};  // what gets through, and the evidence says why it can
};

const Weakness kWeaknesses[] = {
    {"NoneOfThem", "[]", "[]", {}, {}},
    // What can be read of it. Its services are behind the filter too, and abstract sockets behind
    // Landlock, where the kernel's is new enough. With it comes its list of name servers.
    {"TheNetworkOfTheHost",
     R"([{"op": "replace", "path": "/HostConfig/NetworkMode", "value": "host"},
         {"op": "remove", "path": "/NetworkDisabled"}])",
     R"([{"op": "replace", "path": "/netns", "value": {"nsmode": "host"}}])",
     {"F-64-table", "F-65-interfaces", "F-65-tcp", "F-65-udp"},
     {"F-62", "F-63", "F-64", "F-65", "F-69", "F-70", "B-34-resolver"}},
    {"AWritableRoot",
     R"([{"op": "replace", "path": "/HostConfig/ReadonlyRootfs", "value": false}])",
     R"([{"op": "replace", "path": "/read_only_filesystem", "value": false}])",
     {"A-13-mounts"},
     {}},
    {"NoMasks",
     R"([{"op": "replace", "path": "/HostConfig/MaskedPaths", "value": []}])",
     R"([{"op": "add", "path": "/unmask", "value": ["ALL"]},
         {"op": "replace", "path": "/mask", "value": []}])",
     {"A-21-kallsyms", "A-21-interrupts", "A-21-cmdline"},
     {"A-20", "A-21", "B-34-command-line", "G-71-proc-keys", "A-22-proc-any"}},
    // The runner tries a user namespace before any job; unfiltered, it gets one, with a bounding
    // set.
    {"NoFilter",
     R"([{"op": "replace", "path": "/HostConfig/SecurityOpt",
          "value": ["no-new-privileges:true", "seccomp=unconfined"]}])",
     R"([{"op": "replace", "path": "/seccomp_profile_path", "value": "unconfined"}])",
     {"G-71-io-uring-setup", "G-73-int80-getpid", "E-47-traceme", "C-39-seccomp", "D-44-setns",
      "E-48-tiocsti"},
     {"A-12", "C-38-b", "C-39", "C-41", "D-4", "E-47", "E-48", "E-57-limit-init", "F-66", "F-67",
      "F-68", "G-"}},
    {"TheCapabilitiesOfAnEngine",
     R"([{"op": "remove", "path": "/HostConfig/CapDrop"}])",
     R"([{"op": "remove", "path": "/cap_drop"}])",
     {"C-38-bnd", "C-38-bounding"},
     {}},
    // Without a capability: it could not even enter a /work that is another's. What it reads is the
    // image's own.
    {"Root",
     R"([{"op": "replace", "path": "/User", "value": "0:0"},
         {"op": "replace", "path": "/HostConfig/Tmpfs/~1work",
          "value": "rw,nosuid,nodev,exec,size=64m,nr_inodes=8192,mode=700,uid=0,gid=0"}])",
     nullptr,
     {"C-37-user", "C-37-group"},
     {"C-37", "C-40", "A-01", "A-02-root", "A-07-init-fd", "A-13", "A-25-self"}},
    {"TheProcessesOfTheHost",
     R"([{"op": "add", "path": "/HostConfig/PidMode", "value": "host"}])",
     R"([{"op": "replace", "path": "/pidns", "value": {"nsmode": "host"}}])",
     {"B-33-processes"},
     {"A-06", "A-07", "B-33", "B-36", "D-44", "E-46", "E-47", "E-57", "E-58"}},
    {"TheNameOfTheHost",
     R"([{"op": "add", "path": "/HostConfig/UTSMode", "value": "host"},
         {"op": "remove", "path": "/Hostname"}])",
     R"([{"op": "replace", "path": "/utsns", "value": {"nsmode": "host"}},
         {"op": "remove", "path": "/hostname"}])",
     {"B-34-host-name"},
     {}},
    {"TheMessagesOfTheHost",
     R"([{"op": "replace", "path": "/HostConfig/IpcMode", "value": "host"}])",
     R"([{"op": "replace", "path": "/ipcns", "value": {"nsmode": "host"}},
         {"op": "remove", "path": "/shm_size"}])",
     {"H-87-shared-memory", "H-87-semaphore", "H-87-messages"},
     {"H-87"}},
    {"ADirectoryOfTheHost",
     R"([{"op": "add", "path": "/HostConfig/Binds", "value": ["/var/tmp:/var/tmp:ro"]}])",
     R"([{"op": "add", "path": "/mounts",
          "value": [{"type": "bind", "source": "/var/tmp", "destination": "/var/tmp",
                     "options": ["ro", "bind"]}]}])",
     {"A-02-planted-var-tmp"},
     {}},
    {"NoLimitOnTasks",
     R"([{"op": "remove", "path": "/HostConfig/PidsLimit"}])",
     R"([{"op": "replace", "path": "/resource_limits/pids", "value": {"limit": -1}},
         {"op": "replace", "path": "/r_limits/3",
          "value": {"type": "nproc", "hard": 16384, "soft": 16384}}])",
     {"E-49-fork-bomb", "E-49-thread-bomb", "E-56-zombies"},
     {},
     {"E-49-fork-bomb", "E-49-thread-bomb", "E-56-zombies", "E-50", "E-59-exit-7"}},
    {"NoLimitOnMemory",
     R"([{"op": "remove", "path": "/HostConfig/Memory"},
         {"op": "remove", "path": "/HostConfig/MemorySwap"}])",
     R"([{"op": "remove", "path": "/resource_limits/memory"}])",
     {"H-76-touched"},
     {},
     {"H-76-touched", "H-80", "E-59-exit-7"}},
    // The most that Podman may give is the machine's own, and may be too little to tell.
    {"NoLimitOnDescriptors",
     R"([{"op": "remove", "path": "/HostConfig/Ulimits/0"}])",
     nullptr,
     {"H-80-descriptors"},
     {},
     {"H-80", "H-86-large", "H-86-core", "H-78-work", "E-59-exit-7"}},
    {"NoLimitOnTheSizeOfFiles",
     R"([{"op": "remove", "path": "/HostConfig/Ulimits/1"}])",
     R"([{"op": "replace", "path": "/r_limits/1",
          "value": {"type": "fsize", "hard": 1073741824, "soft": 1073741824}}])",
     {"H-86-large"},
     {},
     {"H-80", "H-86-large", "H-86-core", "H-78-work", "E-59-exit-7"}},
    {"NoLimitOnTheDisk",
     R"([{"op": "replace", "path": "/HostConfig/Tmpfs/~1work",
          "value": "rw,nosuid,nodev,exec,mode=700,uid=65534,gid=65534"}])",
     R"([{"op": "remove", "path": "/volumes/1"},
         {"op": "add", "path": "/mounts",
          "value": [{"type": "tmpfs", "destination": "/work",
                     "options": ["rw", "nosuid", "nodev", "mode=1777"]}]}])",
     {"H-78-work", "H-79-work"},
     {},
     {"H-78", "H-79", "H-86-large", "H-86-deep", "E-59-exit-7"}},
    {"NoLimitOnProcessors",
     R"([{"op": "remove", "path": "/HostConfig/NanoCpus"}])",
     R"([{"op": "remove", "path": "/resource_limits/cpu"}])",
     {},
     {},
     {"H-81", "H-77", "E-59-exit-7"},
     {"H-81-spin"}},
    // No machine of the tests has swap: nothing but the evidence can tell.
    {"NoLimitOnSwap",
     R"([{"op": "replace", "path": "/HostConfig/MemorySwap", "value": -1}])",
     R"([{"op": "replace", "path": "/resource_limits/memory/swap", "value": 1073741824}])",
     {"H-77-swap"},
     {},
     {"H-76-touched", "H-77", "H-81", "E-59-exit-7"}},
    {"TheControlGroupsOfTheHost",
     R"([{"op": "replace", "path": "/HostConfig/CgroupnsMode", "value": "host"}])",
     R"([{"op": "replace", "path": "/cgroupns", "value": {"nsmode": "host"}}])",
     {},
     {},
     {},
     {"B-34-cgroup-path"}},
};

const Weakness* weakness_called(const std::string& name) {
  const auto found = std::ranges::find(kWeaknesses, name, &Weakness::name);
  return found == std::end(kWeaknesses) ? nullptr : &*found;
}

// What gets through because a control is missing, as the evidence of the run says.
std::set<std::string> admitted(const Report& report) {
  std::set<std::string> ids;
  for (const Finding& finding : report.findings) {
    if (finding.inside.verdict == Verdict::by_design && finding.probe.by_design_without)
      ids.insert(finding.probe.id);
  }
  return ids;
}

// A real engine that is asked for less than we ask for: "docker/NoMasks".
class WeakEngine : public DockerBed {
 protected:
  [[nodiscard]] std::string engine() const override {
    return GetParam().substr(0, GetParam().find('/'));
  }
  // What the battery says to a caller who requires nothing.
  [[nodiscard]] Report report_with(const Strip& strip, std::vector<Probe> probes) const {
    const std::shared_ptr<backend::Backend> weak = stripped(strip);
    if (!weak) return {};
    policy::Config config;
    config.type = is_docker() ? policy::BackendType::docker : policy::BackendType::podman;
    config.fallback = policy::FallbackRule::never;
    config.required_controls.clear();
    core::Service service(config, [&weak](backend::BackendKind, const Call&) {
      backend::Found found;
      found.backend = weak;
      return found;
    });
    const auto execute = [&service](const ExecutionRequest& r) { return service.execute(r); };
    const Report report = report_of(std::move(probes), execute, ControlRuns::left_out);
    for (const Finding& finding : report.findings)
      EXPECT_NE(finding.inside.verdict, Verdict::not_run)
          << finding.probe.id << ": " << finding.inside.detail;
    return report;
  }
};

std::vector<std::string> every_engine_and_weakness() {
  std::vector<std::string> all;
  for (const char* const engine : {"docker", "podman"}) {
    for (const Weakness& weakness : kWeaknesses) {
      const bool is_docker = engine == std::string_view("docker");
      if ((is_docker ? weakness.of_docker : weakness.of_podman) != nullptr)
        all.push_back(std::string(engine) + "/" + weakness.name);
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(EachOf, WeakEngine, testing::ValuesIn(every_engine_and_weakness()),
                         [](const auto& given) {
                           std::string name = given.param;
                           std::ranges::replace(name, '/', '_');
                           return name;
                         });

TEST_P(WeakEngine, FailsExactlyTheProbesOfWhatIsTakenAway) {
  const Weakness* const weakness = weakness_called(GetParam().substr(GetParam().find('/') + 1));
  ASSERT_NE(weakness, nullptr);
  const auto patch =
      nlohmann::json::parse(is_docker() ? weakness->of_docker : weakness->of_podman);
  const Report report =
      report_with([&patch](nlohmann::json& body) { body = body.patch(patch); },
                  weakness->tried.empty() ? attempts() : probes_named(weakness->tried));
  ASSERT_FALSE(report.findings.empty());
  const auto ids = failed(report);
  EXPECT_THAT(ids, IsSupersetOf(weakness->fails));
  EXPECT_THAT(admitted(report), IsSupersetOf(weakness->admits));
  Names expected = weakness->may_fail;
  expected.insert(expected.end(), weakness->fails.begin(), weakness->fails.end());
  EXPECT_THAT(beyond(ids, expected), IsEmpty());
}

class WeakFilter : public WeakEngine {};
INSTANTIATE_TEST_SUITE_P(Of, WeakFilter, testing::Values("docker"),
                         [](const auto& given) { return std::string(given.param); });

// One call of some four hundred, and all probes that use it. Podman reads its filter from a file.
TEST_P(WeakFilter, FailsExactlyTheProbesOfTheCallThatIsLetThrough) {
  const Report report = report_with(
      [](nlohmann::json& body) {
        constexpr std::string_view kKey = "seccomp=";
        for (nlohmann::json& option : body["HostConfig"]["SecurityOpt"]) {
          const std::string text = option.get<std::string>();
          if (!text.starts_with(kKey)) continue;
          nlohmann::json filter = nlohmann::json::parse(text.substr(kKey.size()));
          filter["syscalls"].push_back(
              {{"names", {"io_uring_setup"}}, {"action", "SCMP_ACT_ALLOW"}});
          option = std::string(kKey) + filter.dump();
        }
      },
      attempts());
  EXPECT_EQ(failed(report), (std::set<std::string>{"F-68-ring", "G-71-io-uring-setup"}));
}

}  // namespace
}  // namespace lazaret::test
