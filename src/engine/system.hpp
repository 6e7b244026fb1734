#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/call.hpp"
#include "engine/client.hpp"
#include "engine/json_lines.hpp"
#include "lazaret/result.hpp"

/// /_ping, /info and /events of the Engine API. The version is in EngineClient::identity().
namespace lazaret::engine::system {

[[nodiscard]] Status ping(const EngineClient& client, const Call& call);

/// What the engine's machine can do. A missing answer reads as "cannot".
struct Info {
  std::string name;
  std::string server_version;
  std::string operating_system;
  std::string os_type;       ///< "linux", "windows"
  std::string architecture;  ///< "x86_64", "amd64", …
  std::string kernel_version;
  std::string storage_driver;
  std::string cgroup_version;  ///< "1", "2"; empty when unknown
  std::string cgroup_driver;
  bool memory_limit = false;
  bool swap_limit = false;
  bool pids_limit = false;
  bool cpu_cfs_quota = false;
  bool rootless = false;
  bool user_namespaces = false;
  bool seccomp = false;
  std::string seccomp_profile;                ///< "default", "builtin", a path; empty when unsaid
  std::vector<std::string> security_options;  ///< "name=seccomp,profile=default", …
  std::vector<std::string> runtimes;
  std::string default_runtime;
  std::string init_binary;
  std::vector<std::string> warnings;
};
[[nodiscard]] Result<Info> info(const EngineClient& client, const Call& call);

struct EventsOptions {
  std::map<std::string, std::vector<std::string>> filters = {};  ///< e.g. {"container", {id}}
  std::string since = {};            ///< seconds since the epoch, by the engine's clock
  std::string until = {};            ///< with it, the stream ends there
  std::function<void()> begun = {};  ///< the engine listens to us: nothing is missed from now on
};
/// Calls the sink for each event until the stream, the call or the sink ends it.
[[nodiscard]] Status events(const EngineClient& client, const EventsOptions& options,
                            const JsonSink& sink, const Call& call);

}  // namespace lazaret::engine::system
