#pragma once

#include <nlohmann/json_fwd.hpp>

#include "backend/docker/harden.hpp"

namespace lazaret::backend::docker {

/// The same box in Podman's words: the SpecGenerator of POST /libpod/containers/create. Pure.
[[nodiscard]] nlohmann::json harden_podman(const Hardening& hardening);

}  // namespace lazaret::backend::docker
