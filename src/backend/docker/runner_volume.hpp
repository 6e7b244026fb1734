#pragma once

#include <atomic>
#include <string>

#include "backend/docker/leases.hpp"
#include "base/call.hpp"
#include "engine/client.hpp"
#include "lazaret/result.hpp"

namespace lazaret::backend::docker {

/// The runner on the engine's side: a volume named after the runner's own bytes, filled once over
/// the archive API through a container that never starts, so that no path of this machine is needed
/// (P-37). It stays; every box mounts it read-only. Thread-safe.
class RunnerVolume {
 public:
  RunnerVolume(const engine::EngineClient& client, const Leases& leases);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
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
  [[nodiscard]] Status fill(const std::string& image, const Call& call) const;
  void dismiss() const;
  [[nodiscard]] bool is_gone(const Call& call) const;
  [[nodiscard]] Status wait_for_other(const Call& call) const;
  [[nodiscard]] Status upload(const std::string& helper, const Call& call) const;

  const engine::EngineClient& client_;
  const Leases& leases_;
  std::string name_;
  std::string helper_;  // the same for every process: its name is the lock on filling
  std::atomic<bool> known_ = false;
};

}  // namespace lazaret::backend::docker
