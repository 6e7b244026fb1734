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

/// A backend over an engine, or why there is none; either way what was tried.
struct Connected {
  Result<std::unique_ptr<Backend>> backend;
  std::string endpoint;
  std::vector<engine::Attempt> attempts;  ///< that failed, before it
};

/// Finds an engine and agrees on an API version; makes nothing on it yet.
/// Errors: backend_unavailable that names every endpoint tried and why each failed; unsupported for
/// an engine with Windows containers.
[[nodiscard]] Connected connect(DockerBackendOptions options, const Call& call);

}  // namespace lazaret::backend::docker
