#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lazaret/execution_result.hpp"
#include "lazaret/request.hpp"
#include "lazaret/result.hpp"
#include "lazaret/session.hpp"

namespace lazaret {

/// Runs foreign code, one fresh box for each call. Thread-safe: calls may overlap. Move-only.
class CodeSandbox {
 public:
  class Body;
  explicit CodeSandbox(std::unique_ptr<Body> body);
  CodeSandbox(CodeSandbox&&) noexcept;
  CodeSandbox& operator=(CodeSandbox&&) noexcept;
  ~CodeSandbox();

  /// Blocks until the result is known; never throws for anything the code or the engine does. Our
  /// own trouble comes back as a result whose `meta.cause` and `error` say what it was.
  [[nodiscard]] ExecutionResult execute(const ExecutionRequest& request) const;
  /// A box that is kept for several runs. Errors: invalid_argument, permission_denied for what
  /// policy forbids, backend_unavailable, image_missing, enforcement_mismatch, cancelled, …
  [[nodiscard]] Result<Session> open_session(const SessionRequest& request) const;

 private:
  std::unique_ptr<Body> body_;
};

/// Explicit choices that beat the environment and the configuration files.
struct SandboxOptions {
  std::optional<std::string> type;         ///< "local", "docker", "podman", "auto"
  std::optional<std::string> host;         ///< engine endpoint, e.g. "unix:///run/docker.sock"
  std::optional<bool> fallback;            ///< may docker fall back to native
  std::optional<std::string> config_file;  ///< replaces the search for configuration files
};

class SandboxFactory {
 public:
  /// Follows SANDBOX_TYPE, SANDBOX_TIMEOUT_SEC, SANDBOX_FALLBACK and the configuration files.
  /// Errors: invalid_argument for a value that is not one of the listed ones or a bad file.
  [[nodiscard]] static Result<CodeSandbox> from_environment();
  [[nodiscard]] static Result<CodeSandbox> with(const SandboxOptions& options);
};

}  // namespace lazaret
