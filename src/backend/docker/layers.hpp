#pragma once

#include <string>

#include "backend/docker/instance.hpp"
#include "backend/docker/kept_volume.hpp"

/// Layers of packages on an engine: each is a volume, which stays for as long as its maker keeps
/// what it was filled from.
namespace lazaret::backend::docker {

/// Of the volume that holds a layer: a directory of this machine's that nobody changes, in one
/// whose name says what is in it, in a store.
[[nodiscard]] VolumeContent layer_content(const std::string& directory, const Instance& maker);

/// Removes the volumes of layers that were made from the same store by the same user of the same
/// machine, and are not kept there any more; what a container uses stays. What fails is left for
/// the next time.
void forget_layers(const engine::EngineClient& client, const std::string& directory,
                   const Instance& maker, const Call& call);

}  // namespace lazaret::backend::docker
