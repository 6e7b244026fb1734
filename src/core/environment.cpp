#include "core/environment.hpp"

#include <utility>

#include "os/user.hpp"

namespace lazaret::core {

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

std::unique_ptr<Service> make_service(policy::Config config) {
  auto here = surroundings(config);
  return std::make_unique<Service>(
      std::move(config), [here = std::move(here)](backend::BackendKind kind, const Call& call) {
        return backend::find(kind, here, call);
      });
}

}  // namespace lazaret::core
