#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/call.hpp"
#include "engine/client.hpp"
#include "engine/container.hpp"
#include "lazaret/result.hpp"

/// /libpod/containers of Podman's own API, 4.0 and later: it obeys and shows what the compatible
/// one ignores.
namespace lazaret::engine::libpod {

/// `body` is a SpecGenerator; it holds the name. Errors: image_missing; engine when the name is
/// taken.
[[nodiscard]] Result<container::CreateResult> create(const EngineClient& client,
                                                     const nlohmann::json& body, const Call& call);

[[nodiscard]] Result<nlohmann::json> inspect(const EngineClient& client, std::string_view id,
                                             const Call& call);

}  // namespace lazaret::engine::libpod
