#pragma once

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

/// Where to look for backends.
struct Surroundings {
  engine::Surroundings engine;      ///< environment, home and files for the search
  std::optional<std::string> host;  ///< one engine endpoint instead of the search
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

/// An engine that answers, whichever kind it is. Errors: backend_unavailable with every attempt.
[[nodiscard]] Result<engine::EngineClient> find_engine(const Surroundings& surroundings,
                                                       const Call& call);

/// This operating system's own enforcers. Errors: unsupported where there are none yet.
[[nodiscard]] Result<std::unique_ptr<Backend>> make_native();

}  // namespace lazaret::backend
