#pragma once

#include "backend/docker/kept_volume.hpp"

namespace lazaret::backend::docker {

/// Of the volume that holds the runner, and is named after the runner's own bytes.
[[nodiscard]] VolumeContent runner_content();

}  // namespace lazaret::backend::docker
