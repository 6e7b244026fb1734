#pragma once

#include <filesystem>
#include <memory>
#include <optional>
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
/// Where this user's daemon listens: $LAZARET_SOCKET, /run/lazaret/lazaret.sock for root, below
/// $XDG_RUNTIME_DIR for others; unset where there is no such place.
[[nodiscard]] std::optional<std::filesystem::path> daemon_socket();
/// Where the lease journal lies: $XDG_STATE_HOME/lazaret; where that is not set /var/lib/lazaret
/// for root, ~/.local/state/lazaret for others. Empty without a home.
[[nodiscard]] std::filesystem::path state_folder();
/// Packages are kept in $XDG_CACHE_HOME/lazaret/packages; where that is not set, below /var/cache
/// for root, ~/.cache for others; nowhere without a home. What is kept may be removed at any time.
/// Indexes are those of $PIP_INDEX_URL and $NPM_CONFIG_REGISTRY, or of pip and npm themselves;
/// $SSL_CERT_FILE has the certificates that are believed, or the system's file of them.
[[nodiscard]] PackagePlaces package_places();
/// What a run asks of its surroundings: a box, or packages as well.
enum class Extent { box, packages };
/// Equal for two processes whose runs are treated alike: the configuration, where engines play a
/// part everything that says how they are found, and for packages their places. Sixty-four
/// hexadecimal digits.
[[nodiscard]] std::string fingerprint(const policy::Config& config,
                                      Extent extent = Extent::box);
/// A service that looks for backends in these surroundings. For one run no boxes are made ahead.
[[nodiscard]] std::unique_ptr<Service> make_service(
    policy::Config config, backend::Serves serves = backend::Serves::many_runs);

}  // namespace lazaret::core
