#include "core/environment.hpp"

#include <chrono>
#include <utility>

#include "base/sha256.hpp"
#include "core/warm_backend.hpp"
#include "os/user.hpp"

namespace lazaret::core {
namespace {

// Longer than a burst of a few native runs, shorter than one on an engine.
constexpr std::chrono::milliseconds kSettling{100};
// Making a box is work and waiting in turns; more at once would each take longer.
constexpr unsigned kOpeningPerProcessor = 2;

pool::Bounds bounds_of(const policy::PoolSize& size) {
  return {.most = size.most,
          .memory_bytes = size.memory_bytes,
          .rate = size.rate,
          .idle = size.idle,
          .settling = kSettling,
          .is_crowded = os::is_crowded};
}

std::filesystem::path packages_folder() {
  constexpr const char* kBelow = "lazaret/packages";
  if (const auto base = os::variable("XDG_CACHE_HOME"); base && base->starts_with('/'))
    return (std::filesystem::path(*base) / kBelow).lexically_normal();
  if (os::user_id() == 0U) return std::filesystem::path("/var/cache") / kBelow;
  const std::filesystem::path home = os::home_directory();
  return home.empty() ? home : (home / ".cache" / kBelow).lexically_normal();
}

std::filesystem::path authorities() {
  std::error_code ignored;
  if (const auto file = os::variable("SSL_CERT_FILE"); file && !file->empty())
    return std::filesystem::absolute(*file, ignored);
  for (const char* const file : {"/etc/ssl/certs/ca-certificates.crt",  // Debian, Arch
                                 "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"}) {
    if (std::filesystem::exists(file, ignored)) return file;
  }
  return {};
}

}  // namespace

policy::EnvironmentLookup process_environment() {
  return [](std::string_view name) { return os::variable(name); };
}

ConfigPlaces config_places() {
  std::error_code ignored;
  ConfigPlaces places;
  places.working = std::filesystem::current_path(ignored);
  places.home = os::home_directory();
  places.user_base = os::variable("XDG_CONFIG_HOME").value_or("");
  return places;
}

backend::Surroundings surroundings(const policy::Config& config) {
  backend::Surroundings here;
  here.host = config.host;
  here.engine.variable = process_environment();
  here.engine.file = engine::read_small_file;
  here.engine.home = os::home_directory();
  here.engine.uid = os::user_id();
  here.engine.runtime_dir = os::variable("XDG_RUNTIME_DIR").value_or("");
  here.state = state_folder();
  return here;
}

Result<policy::Config> load_config_here(const SandboxOptions& options) {
  return load_config(options, process_environment(), config_places());
}

std::vector<std::string> build_environment() {
  std::vector<std::string> variables;
  for (const char* const name : {"PATH", "TMPDIR", "http_proxy", "https_proxy", "no_proxy"}) {
    if (const auto value = os::variable(name))
      variables.push_back(std::string(name) + "=" + *value);
  }
  return variables;
}

std::optional<std::filesystem::path> daemon_socket() {
  if (const auto named = os::variable("LAZARET_SOCKET"); named && !named->empty()) return *named;
  if (os::user_id() == 0U) return "/run/lazaret/lazaret.sock";
  const auto folder = os::variable("XDG_RUNTIME_DIR");
  if (!os::user_id() || !folder || folder->empty()) return std::nullopt;
  return std::filesystem::path(*folder) / "lazaret" / "lazaret.sock";
}

std::filesystem::path state_folder() {
  if (const auto base = os::variable("XDG_STATE_HOME"); base && base->starts_with('/'))
    return std::filesystem::path(*base) / "lazaret";
  if (os::user_id() == 0U) return "/var/lib/lazaret";
  const std::filesystem::path home = os::home_directory();
  return home.empty() ? home : home / ".local" / "state" / "lazaret";
}

PackagePlaces package_places() {
  const std::filesystem::path trusted = authorities();
  const auto index = [&trusted](const char* variable) {
    return PackageIndex{os::variable(variable).value_or(""), variable, trusted};
  };
  return {{packages_folder(), state_folder()},
          index("PIP_INDEX_URL"),
          index("NPM_CONFIG_REGISTRY")};
}

std::string fingerprint(const policy::Config& config, Extent extent) {
  Sha256 digest;
  const auto take = [&digest](std::string_view name, std::string_view value) {
    digest.update(bytes_of(std::to_string(name.size()) + ":" + std::string(name)));
    digest.update(bytes_of(std::to_string(value.size()) + ":" + std::string(value)));
  };
  for (const policy::ConfigRow& row : policy::rows_of(config)) {
    if (row.key.starts_with("pool.")) continue;  // what is made ahead changes no result
    take(row.key, row.value);
    // What nobody has said may give way: to a profile, or to a backend's own.
    take("said", row.source.origin == policy::Origin::built_in ? "no" : "yes");
  }
  for (const auto& [name, value] : config.passed_environment) take(name, value);
  if (extent == Extent::packages) {
    const PackagePlaces places = package_places();
    take("packages", places.store.folder.string());
    for (const PackageIndex& index : {places.python, places.javascript}) {
      take(index.variable, index.url);
      take("authorities", index.authorities.string());
    }
  }
  if (config.type == policy::BackendType::local) return to_hex(digest.finish());
  for (const char* const name : {"DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "CONTAINER_HOST",
                                 "DOCKER_API_VERSION", "HOME"})
    take(name, os::variable(name).value_or(""));
  take("XDG_RUNTIME_DIR", engine::runtime_dir(surroundings(config).engine).string());
  return to_hex(digest.finish());
}

std::unique_ptr<Service> make_service(policy::Config config, backend::Serves serves) {
  auto here = surroundings(config);
  here.serves = serves;
  const auto find = [here = std::move(here), config](backend::BackendKind kind, const Call& call) {
    backend::Found found = backend::find(kind, here, call);
    if (!found.backend || config.pool.most == 0 || here.serves != backend::Serves::many_runs)
      return found;
    found.backend = std::make_shared<WarmBackend>(std::move(found.backend), bounds_of(config.pool),
                                                  kOpeningPerProcessor * os::processors());
    return found;
  };
  return std::make_unique<Service>(std::move(config), find, package_places());
}

}  // namespace lazaret::core
