#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/call.hpp"
#include "engine/client.hpp"
#include "lazaret/result.hpp"

/// POST /containers/{id}/wait.
namespace lazaret::engine::container {

enum class Until { not_running, next_exit, removed };

struct ExitStatus {
  std::int64_t code = -1;
  std::string error;  ///< the engine's own words about a container that could not be waited for
};

/// A wait the engine knows of. Opened before start() with `next_exit`, it misses no exit (P-19).
class Wait {
 public:
  /// Docker confirms the registration at once and this waits for it; Podman answers only at the
  /// end, so there it returns when the request is sent.
  [[nodiscard]] static Result<Wait> open(const EngineClient& client, std::string_view id,
                                         Until until, const Call& call);
  /// Blocks until the container is there. Once; governed by `call` alone.
  [[nodiscard]] Result<ExitStatus> finish(const Call& call);

 private:
  Wait(http::Exchange exchange, Operation operation, bool confirmed);

  http::Exchange exchange_;
  Operation operation_;
  bool confirmed_;
};

/// open() and finish().
[[nodiscard]] Result<ExitStatus> wait(const EngineClient& client, std::string_view id, Until until,
                                      const Call& call);

}  // namespace lazaret::engine::container
