#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "backend/docker/instance.hpp"
#include "engine/client.hpp"
#include "policy/spec.hpp"

namespace lazaret::backend::docker {

/// What the create body is made from.
struct Hardening {
  const policy::Spec& spec;
  engine::Kind kind;
  const Instance& instance;
  std::string name;           ///< of the container
  std::string runner_volume;  ///< mounted read-only at /lazaret
  std::string seccomp;        ///< what follows "seccomp=": the profile, or its path
};

/// The body of POST /containers/create. Pure; every field that loosens a box is stated, also where
/// the engine's default is the same.
[[nodiscard]] nlohmann::json harden(const Hardening& hardening);

/// A tmpfs of the box that is made as a volume beforehand, where the engine needs that.
struct ScratchVolume {
  std::string name;
  std::string target;
  std::map<std::string, std::string> options;  ///< DriverOpts
};
[[nodiscard]] std::vector<ScratchVolume> scratch_volumes(const Hardening& hardening);

/// Kernel files that show or change the host; masked with nothing, and made read-only.
[[nodiscard]] const std::vector<std::string>& masked_paths();
[[nodiscard]] const std::vector<std::string>& readonly_paths();

inline constexpr const char* kRunnerDirectory = "/lazaret";
inline constexpr const char* kRunnerPath = "/lazaret/runner";

}  // namespace lazaret::backend::docker
