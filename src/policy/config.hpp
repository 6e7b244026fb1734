#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lazaret/confinement.hpp"
#include "lazaret/control.hpp"
#include "lazaret/limits.hpp"
#include "lazaret/result.hpp"
#include "lazaret/sandbox.hpp"

namespace lazaret::policy {

/// In a list of hosts: all at public addresses, at the port of HTTPS.
inline constexpr std::string_view kPublicHosts = "public";

/// What SANDBOX_TYPE chooses. The word for `automatic` is "auto".
enum class BackendType { local, docker, podman, automatic };
/// Whether docker may become native when no engine answers.
enum class FallbackRule { allow, never };
/// Who said a value; earlier ones beat later ones.
enum class Origin { flag, environment, project_file, user_file, system_file, built_in };

[[nodiscard]] std::string_view name_of(BackendType type) noexcept;
[[nodiscard]] std::string_view name_of(FallbackRule rule) noexcept;
[[nodiscard]] std::string_view name_of(Origin origin) noexcept;

/// Where a value comes from, e.g. {environment, "SANDBOX_TYPE"}.
struct Source {
  Origin origin = Origin::built_in;
  std::string name;  ///< of the file, variable or flag; empty for built_in
};

/// What nobody may exceed unless the user's or the system's file says so: 300 s, 4 GiB, …
[[nodiscard]] Limits built_in_maxima();

/// Boxes made ahead, in a process that stays.
struct PoolSize {
  std::uint32_t most = 8;                   ///< waiting at once; 0: none
  std::chrono::milliseconds idle{30'000};   ///< without demand, until they are given up
  std::uint64_t memory_bytes = 1ULL << 30;  ///< that they may take while they wait
  std::uint32_t rate = 1'000;               ///< made in a second
  /// How many wait from the start, for requests that say nothing but this language, or for those
  /// that are like this one, in JSON.
  std::map<std::string, std::uint32_t> ready = {};
};

/// The configuration in force. Default-constructed, it is the built-in one.
struct Config {
  BackendType type = BackendType::local;
  std::optional<std::string> host;  ///< engine endpoint; unset: the engine room searches
  FallbackRule fallback = FallbackRule::allow;
  Limits limits;  ///< for requests that do not say
  Limits maxima = built_in_maxima();
  // By language; "exec" for plain commands.
  std::map<std::string, std::string> images = {
      {"python", "lazaret/python:latest"},   {"bash", "lazaret/bash:latest"},
      {"sh", "lazaret/bash:latest"},         {"javascript", "lazaret/node:latest"},
      {"typescript", "lazaret/deno:latest"}, {"c", "lazaret/c:latest"},
      {"cpp", "lazaret/cpp:latest"},         {"rust", "lazaret/rust:latest"},
      {"go", "lazaret/go:latest"},           {"java", "lazaret/java:latest"},
      {"exec", "lazaret/bash:latest"},
  };
  PoolSize pool;
  std::set<Control> required_controls = default_required_controls();
  // For requests that do not say; where nobody says the first two, the profile does.
  Subprocess subprocess = Subprocess::allow;
  Loopback loopback = Loopback::down;
  Profile profile = Profile::standard;
  std::set<std::string> mount_sources = {"/"};  ///< directories in which sources of mounts may lie
  /// HOST[:PORT] that packages may be fetched from, at whatever address; and kPublicHosts.
  std::set<std::string> package_hosts = {std::string(kPublicHosts)};
  /// HOST[:PORT] and *.HOST[:PORT] that requests may name, at whatever address; and kPublicHosts.
  std::set<std::string> egress_hosts = {std::string(kPublicHosts)};
  std::set<std::string> environment_allow;  ///< names that pass from our environment into boxes
  std::map<std::string, std::string> passed_environment;  ///< those of them that were set
  std::map<std::string, Source, std::less<>> sources;     ///< by key path; absent: built in

  [[nodiscard]] Source source_of(std::string_view key) const;
};

/// A configuration file, already turned into a tree. Borrows the tree.
struct FileLayer {
  Origin origin;  ///< project_file, user_file or system_file
  std::string name;
  const nlohmann::json& tree;
};

using EnvironmentLookup = std::function<std::optional<std::string>(std::string_view name)>;

/// Everything that has a say, in no particular order; precedence is Origin's.
struct Layers {
  const SandboxOptions& flags;
  EnvironmentLookup environment;  ///< an empty value counts as unset
  std::vector<FileLayer> files;
};

/// Merges and checks. A project file comes with foreign code, so it may only narrow.
/// Errors: invalid_argument, naming the file or variable, the key and what would be right;
/// unsupported for e2b and kubernetes; permission_denied for what a project file may not set.
[[nodiscard]] Result<Config> merge(const Layers& layers);

/// One row of `lazaret config show`. Values of passed variables are not shown.
struct ConfigRow {
  std::string key;
  std::string value;
  Source source;
};
[[nodiscard]] std::vector<ConfigRow> rows_of(const Config& config);

/// Every key that a file may hold, as dotted paths; the published schema is tested against it.
[[nodiscard]] std::vector<std::string> config_keys();

}  // namespace lazaret::policy
