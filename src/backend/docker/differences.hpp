#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "backend/docker/harden.hpp"
#include "engine/client.hpp"
#include "engine/container.hpp"

namespace lazaret::backend::docker {

/// Everything in which a box is made or read differently on the two engines, measured on Docker
/// 20.10, Podman 4.3 and 5.8. How what they show is compared stands in compare_rows.
struct Differences {
  /// Podman's compatible API ignores CgroupnsMode (4.3), MaskedPaths and more (P-42): its boxes are
  /// made and shown by its own.
  nlohmann::json (*body)(const Hardening& hardening);
  Result<engine::container::CreateResult> (*create)(const engine::EngineClient& client,
                                                    const std::string& name,
                                                    const nlohmann::json& body, const Call& call);
  Result<nlohmann::json> (*inspect)(const engine::EngineClient& client, std::string_view name,
                                    const Call& call);
  /// The filter is given as a path on the engine's machine, not as itself (P-41).
  bool seccomp_by_path;
  /// Podman knows neither nr_inodes nor uid as option of a tmpfs, but hands those of a volume of
  /// type tmpfs to mount(8): its boxes have a volume for each writable directory.
  bool scratch_by_volume;
  /// Docker makes a volume for each path that the image declares; Podman is told to ignore them.
  bool makes_image_volumes;
  /// Docker puts directories of its own in the place of an image's links; where Podman leaves one
  /// at /dev, runc 1.1 follows it while the host's tree is still around the box's.
  bool follows_links_of_images;
  /// Docker tells of an image within 0.1 ms, Podman within a quarter of a second.
  bool tells_of_images_at_once;
  /// For a kill Docker executes a program first: a runner that is let go is gone sooner.
  bool ends_sooner_than_killed;
};

[[nodiscard]] const Differences& differences_of(engine::Kind kind) noexcept;

}  // namespace lazaret::backend::docker
