#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/call.hpp"
#include "engine/client.hpp"
#include "http/exchange.hpp"
#include "lazaret/result.hpp"

/// /containers of the Engine API.
namespace lazaret::engine::container {

struct CreateResult {
  std::string id;
  std::vector<std::string> warnings;  ///< a discarded limit is announced here (P-39)
};
/// An empty name lets the engine choose. Errors: image_missing, conflict (the name is taken).
[[nodiscard]] Result<CreateResult> create(const EngineClient& client, std::string_view name,
                                          const nlohmann::json& body, const Call& call);

[[nodiscard]] Result<nlohmann::json> inspect(const EngineClient& client, std::string_view id,
                                             const Call& call);
/// Starting a running container succeeds.
[[nodiscard]] Status start(const EngineClient& client, std::string_view id, const Call& call);
/// `signal` as the engine spells it, e.g. "SIGKILL". A container that is not running is a conflict
/// for Docker and an engine error for older Podman.
[[nodiscard]] Status kill(const EngineClient& client, std::string_view id, std::string_view signal,
                          const Call& call);

enum class Volumes { keep, remove };
/// Removes by force, and returns when the container is gone: one that is gone already, or that
/// somebody else is removing, is a success. `volumes` speaks of the anonymous ones.
[[nodiscard]] Status remove(const EngineClient& client, std::string_view id, Volumes volumes,
                            const Call& call);

struct Summary {
  std::string id;
  std::vector<std::string> names;
  std::string state;  ///< "created", "running", "exited", …
  std::map<std::string, std::string> labels;
  std::int64_t created = 0;  ///< seconds since the epoch, by the engine's clock
};
struct ListOptions {
  std::vector<std::string> labels = {};  ///< "name" or "name=value"; all of them must match
  bool running_only = false;
};
[[nodiscard]] Result<std::vector<Summary>> list(const EngineClient& client,
                                                const ListOptions& options, const Call& call);

/// One sample, without waiting for a second one (one-shot, API 1.41).
[[nodiscard]] Result<nlohmann::json> stats(const EngineClient& client, std::string_view id,
                                           const Call& call);

struct TopResult {
  std::vector<std::string> titles;
  std::vector<std::vector<std::string>> processes;
};
/// The processes as the host's ps sees them (Docker) or the image's (Podman, which answers nothing
/// when there is none: the result is then empty).
[[nodiscard]] Result<TopResult> top(const EngineClient& client, std::string_view id,
                                    std::string_view ps_arguments, const Call& call);

}  // namespace lazaret::engine::container
