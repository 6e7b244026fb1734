#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "backend/leases.hpp"
#include "base/call.hpp"
#include "engine/client.hpp"
#include "http/exchange.hpp"
#include "lazaret/result.hpp"

namespace lazaret::backend::docker {

/// What a volume holds that many boxes see. Equal names mean equal content.
struct VolumeContent {
  std::string name;    ///< of the volume
  std::string helper;  ///< of the container that fills it, the same for every process: the lock
  std::map<std::string, std::string> labels;
  std::string place;   ///< where boxes see it
  std::string marker;  ///< a file in it: where it is, all the rest is
  /// A tar of it from the beginning, with the marker at its end.
  std::function<Result<http::BodySource>()> tar;
  std::chrono::seconds bound;  ///< of one turn at filling; who takes longer is taken for dead
};

/// Something on the engine's side that boxes share: a volume, filled once over the archive API
/// through a container that never starts, so that no path of this machine is needed (P-37). It
/// stays; every box mounts it read-only. Thread-safe.
class KeptVolume {
 public:
  KeptVolume(const engine::EngineClient& client, const Leases& leases, VolumeContent content);

  [[nodiscard]] const std::string& name() const noexcept { return content_.name; }
  /// Makes the volume, labelled, unless this process knows that it is there.
  [[nodiscard]] Status prepare(const Call& call);
  /// Looks into a container that mounts it, and fills it when it is empty. `image` is one that is
  /// there. Another process may do the same at the same time.
  [[nodiscard]] Status require(const std::string& container, const std::string& image,
                               const Call& call);
  /// Whether this process has seen it filled.
  [[nodiscard]] bool is_known() const noexcept { return known_; }
  /// Somebody may have removed it: look again next time.
  void forget() noexcept { known_ = false; }

 private:
  [[nodiscard]] Result<bool> ready(const std::string& container, const Call& call) const;
  // Nothing when it is filled; why not, where it is another's turn.
  [[nodiscard]] Result<std::optional<Error>> fill(const std::string& image,
                                                  const Call& call) const;
  void dismiss() const;
  [[nodiscard]] bool is_gone(const Call& call) const;
  [[nodiscard]] Status wait_for_other(const Call& call) const;
  [[nodiscard]] Status upload(const std::string& helper, const Call& call) const;

  const engine::EngineClient& client_;
  const Leases& leases_;
  const VolumeContent content_;
  std::atomic<bool> known_ = false;
};

}  // namespace lazaret::backend::docker
