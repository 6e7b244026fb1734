#include "backend/docker/differences.hpp"

#include <nlohmann/json.hpp>

#include "backend/docker/harden_podman.hpp"
#include "engine/libpod.hpp"

namespace lazaret::backend::docker {
namespace {

Result<engine::container::CreateResult> create_docker(const engine::EngineClient& client,
                                                      const std::string& name,
                                                      const nlohmann::json& body,
                                                      const Call& call) {
  return engine::container::create(client, name, body, call);
}

// The body holds the name.
Result<engine::container::CreateResult> create_podman(const engine::EngineClient& client,
                                                      const std::string&,
                                                      const nlohmann::json& body,
                                                      const Call& call) {
  return engine::libpod::create(client, body, call);
}

constexpr Differences kDocker = {.body = harden,
                                 .create = create_docker,
                                 .inspect = engine::container::inspect,
                                 .seccomp_by_path = false,
                                 .scratch_by_volume = false,
                                 .makes_image_volumes = true,
                                 .follows_links_of_images = false,
                                 .tells_of_images_at_once = true,
                                 .ends_sooner_than_killed = true};
constexpr Differences kPodman = {.body = harden_podman,
                                 .create = create_podman,
                                 .inspect = engine::libpod::inspect,
                                 .seccomp_by_path = true,
                                 .scratch_by_volume = true,
                                 .makes_image_volumes = false,
                                 .follows_links_of_images = true,
                                 .tells_of_images_at_once = false,
                                 .ends_sooner_than_killed = false};

}  // namespace

const Differences& differences_of(engine::Kind kind) noexcept {
  return kind == engine::Kind::docker ? kDocker : kPodman;
}

}  // namespace lazaret::backend::docker
