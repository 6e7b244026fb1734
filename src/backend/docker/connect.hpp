#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "backend/backend.hpp"
#include "backend/docker/instance.hpp"
#include "base/call.hpp"
#include "engine/discovery.hpp"
#include "lazaret/result.hpp"

namespace lazaret::backend::docker {

struct DockerBackendOptions {
  engine::Surroundings surroundings;
  std::optional<std::string> host;  ///< explicit endpoint; the only candidate when set
  engine::SearchOptions search;     ///< which engine is wanted, API version, dialer
  Instance instance = this_process();
  /// Where the lease journal lies, empty where no place is known; unset: without one.
  std::optional<std::filesystem::path> state;
};

/// A backend over an engine, and how it was found.
struct Connected {
  std::unique_ptr<Backend> backend;
  std::string endpoint;
  std::string origin;                     ///< "DOCKER_HOST", "well-known", …
  std::vector<engine::Attempt> attempts;  ///< what was tried before it and failed
};

/// Finds an engine and agrees on an API version; makes nothing on it yet.
/// Errors: backend_unavailable that names every endpoint tried and why each failed; unsupported for
/// an engine with Windows containers.
[[nodiscard]] Result<Connected> connect(DockerBackendOptions options, const Call& call);

}  // namespace lazaret::backend::docker
