#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.hpp"
#include "engine/discovery.hpp"

namespace lazaret::backend {

enum class BackendKind { native, docker, podman };

[[nodiscard]] std::string_view name_of(BackendKind kind) noexcept;

/// Whether a backend may count on having one run only, whose box then ends together with it.
enum class Serves { many_runs, one_run };

/// Where to look for backends, and what for.
struct Surroundings {
  engine::Surroundings engine;      ///< environment, home and files for the search
  std::optional<std::string> host;  ///< one engine endpoint instead of the search
  /// Where the lease journal lies, empty where no place is known; unset: without one.
  std::optional<std::filesystem::path> state;
  Serves serves = Serves::many_runs;
};

/// A backend that answers, or why there is none.
struct Found {
  std::shared_ptr<Backend> backend;   ///< shared by the runs that are using it; null: see `error`
  std::string endpoint;               ///< of the engine; empty for native
  std::vector<std::string> attempts;  ///< "endpoint (who said so): why it failed"
  std::optional<Error> error;
};

/// Connects to an engine, or prepares the native backend. Bounded by two seconds for each endpoint.
[[nodiscard]] Found find(BackendKind kind, const Surroundings& surroundings, const Call& call);

/// The engine that find() would use for docker or podman. Errors: backend_unavailable with every
/// attempt.
[[nodiscard]] Result<engine::EngineClient> find_engine(BackendKind kind,
                                                       const Surroundings& surroundings,
                                                       const Call& call);
/// An engine that answers, whichever kind it is. Errors: as above.
[[nodiscard]] Result<engine::EngineClient> find_engine(const Surroundings& surroundings,
                                                       const Call& call);

/// This operating system's own enforcers. Errors: unsupported where there are none yet.
/// `state` as of Surroundings.
[[nodiscard]] Result<std::unique_ptr<Backend>> make_native(
    Serves serves, const std::optional<std::filesystem::path>& state);

}  // namespace lazaret::backend
