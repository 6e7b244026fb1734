#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "backend/backend.hpp"
#include "backend/docker/docker_box.hpp"
#include "backend/docker/harden.hpp"
#include "backend/docker/instance.hpp"
#include "backend/docker/kept_volume.hpp"
#include "backend/leases.hpp"
#include "base/guarded.hpp"
#include "engine/client.hpp"
#include "os/init.hpp"

namespace lazaret::backend::docker {

/// Holds foreign code in hardened containers of one engine, Docker or Podman. Never pulls.
class DockerBackend final : public Backend {
 public:
  /// Errors: unsupported when the engine runs containers of another system than Linux.
  [[nodiscard]] static Result<std::unique_ptr<Backend>> create(
      engine::EngineClient client, std::shared_ptr<const Leases> leases);

  ~DockerBackend() override;

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::string runtime() const override { return client_->describe(); }
  /// By the engine's word, or why it has none. Within 15 seconds.
  [[nodiscard]] std::vector<HostFact> host() const override;
  [[nodiscard]] std::string endpoint() const { return client_->endpoint(); }
  [[nodiscard]] Result<std::unique_ptr<Box>> open(const policy::Spec& spec,
                                                  const Call& call) override;
  [[nodiscard]] std::chrono::milliseconds default_grace() const override {
    return std::chrono::seconds(2);
  }
  void keep_watch() override;
  /// The image.
  [[nodiscard]] Result<std::string> interpreter(const policy::Spec& spec,
                                                const Call& call) const override;

 private:
  struct Draft;
  DockerBackend(engine::EngineClient client, std::shared_ptr<const Leases> leases);

  [[nodiscard]] std::string next_name();
  [[nodiscard]] Result<std::unique_ptr<Box>> open_once(const policy::Spec& spec, const Call& call);
  // The volume with its packages, which may be empty; null where it has none.
  [[nodiscard]] Result<std::unique_ptr<KeptVolume>> layer_of(const policy::Spec& spec,
                                                             const Call& call) const;
  [[nodiscard]] Status make(Draft& draft, const Call& call);
  void note(Draft& draft, journal::Kind kind, const std::string& name) const;
  [[nodiscard]] Status create_verified(Draft& draft, Hardening& hardening, const Call& call);
  [[nodiscard]] Status create_container(Draft& draft, const nlohmann::json& body, const Call& call);
  [[nodiscard]] Status require_plain_image(const Draft& draft, const Call& call);
  [[nodiscard]] Status start(Draft& draft, const Call& call);
  [[nodiscard]] Status verify(Draft& draft, const Call& call);
  [[nodiscard]] Result<Reading> timeout_reading(const Draft& draft, const Call& call);

  const std::uint32_t owner_ = os::process_id();  // a fork ends nothing
  /// WHY shared: boxes use it to end themselves and may outlive the backend.
  std::shared_ptr<const engine::EngineClient> client_;
  std::shared_ptr<const Leases> leases_;  // likewise
  std::shared_ptr<Remains> remains_;
  std::shared_ptr<ImageWatch> images_;
  [[nodiscard]] std::string filter_of(const policy::Spec& spec) const;

  std::string seccomp_;
  KeptVolume runner_;
  std::atomic<std::uint64_t> made_ = 0;
  std::atomic<bool> kill_answers_ = false;  // seen once to obey a signal call
  Guarded<std::set<std::string>> plain_;    // images that were looked at, by id
};

}  // namespace lazaret::backend::docker
