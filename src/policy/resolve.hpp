#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lazaret/request.hpp"
#include "lazaret/result.hpp"
#include "policy/config.hpp"
#include "policy/spec.hpp"

namespace lazaret::policy {

/// A language that the runner can start; made from the runner's driver table by core.
struct Language {
  std::string name;
  std::vector<std::string> aliases;
  /// Of a spec whose limits and environment are known.
  std::function<Program(const ExecutionRequest& request, const Spec& spec)> program;
  std::vector<std::string> version;  ///< a command that shows which one is there
  std::string needs;                 ///< what to install where it is not

  /// By its own name or another one.
  [[nodiscard]] bool is_called(std::string_view word) const;
};

/// What resolving needs to know besides request and configuration.
struct Facts {
  std::span<const Language> languages;  ///< the caller's, which outlive the call
  std::chrono::milliseconds default_grace{5'000};  ///< used when nobody has set one
  bool keeps_box = false;  ///< for another program, and contexts with it
  bool has_images = true;  ///< else a request that names one is refused
};

/// Checks everything at the door and makes the one thing that backends obey. Nothing is clamped.
/// Errors: invalid_argument for a request that cannot be, too_large for code or stdin beyond
/// 1 MiB, unsupported for an image where there are none, permission_denied for what policy forbids
/// (a denied variable, a limit above its maximum).
[[nodiscard]] Result<Spec> resolve(const ExecutionRequest& request, const Config& config,
                                   const Facts& facts);

}  // namespace lazaret::policy
