#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "backend/docker/instance.hpp"
#include "policy/spec.hpp"

namespace lazaret::backend::docker {

/// What the create body is made from.
struct Hardening {
  const policy::Spec& spec;
  const Instance& instance;
  std::string name;                             ///< of the container
  std::string runner_volume;                    ///< mounted read-only at /lazaret
  std::string seccomp;                          ///< the profile, or its path
  std::vector<std::string> image_volumes = {};  ///< paths that the image declares as volumes
  std::string packages_volume = {};             ///< mounted read-only at /mnt/packages; or empty
};

/// The body of Docker's POST /containers/create. Pure; every field that loosens a box is stated,
/// also where the engine's default is the same.
[[nodiscard]] nlohmann::json harden(const Hardening& hardening);

/// What the runner is told at its start, before it reports.
[[nodiscard]] std::vector<std::string> runner_arguments(const policy::Spec& spec);

/// Kernel files that show or change the host; masked with nothing, and made read-only.
[[nodiscard]] const std::vector<std::string>& masked_paths();
[[nodiscard]] const std::vector<std::string>& readonly_paths();

inline constexpr const char* kBoxUser = "65534:65534";
inline constexpr const char* kBoxHostname = "lazaret";
inline constexpr const char* kRunnerDirectory = "/lazaret";
inline constexpr const char* kRunnerPath = "/lazaret/runner";

}  // namespace lazaret::backend::docker
