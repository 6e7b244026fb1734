#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/call.hpp"
#include "engine/attach.hpp"
#include "engine/client.hpp"
#include "lazaret/result.hpp"

/// /exec of the Engine API: a further program in a running container. Ending the stream does not
/// end the program (P-01).
namespace lazaret::engine::exec {

/// Returns the id. Errors: not_found; conflict when the container does not run.
[[nodiscard]] Result<std::string> create(const EngineClient& client, std::string_view container,
                                         const nlohmann::json& body, const Call& call);
[[nodiscard]] Result<std::unique_ptr<AttachStream>> start(const EngineClient& client,
                                                          std::string_view id, Framing framing,
                                                          const Call& call);

enum class State { created, running, exited };
struct Inspection {
  State state = State::created;
  std::optional<std::int64_t> exit_code;  ///< set exactly when exited (P-18)
  std::int64_t pid = 0;                   ///< in the engine's pid namespace; 0 before the start
};
[[nodiscard]] Result<Inspection> inspect(const EngineClient& client, std::string_view id,
                                         const Call& call);

}  // namespace lazaret::engine::exec
