#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/choose.hpp"
#include "core/config_files.hpp"
#include "core/service.hpp"
#include "policy/config.hpp"

/// The one place where the process's environment becomes values that are passed on.
namespace lazaret::core {

[[nodiscard]] policy::EnvironmentLookup process_environment();
[[nodiscard]] ConfigPlaces config_places();
[[nodiscard]] backend::Surroundings surroundings(const policy::Config& config);
/// Configuration files, environment and options merged. Errors: those of load_config.
[[nodiscard]] Result<policy::Config> load_config_here(const SandboxOptions& options);
/// PATH, TMPDIR and proxies as NAME=value: what a program of ours that builds images may know.
[[nodiscard]] std::vector<std::string> build_environment();
/// A service that looks for backends in these surroundings.
[[nodiscard]] std::unique_ptr<Service> make_service(policy::Config config);

}  // namespace lazaret::core
