#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "backend/backend.hpp"
#include "backend/docker/container.hpp"
#include "backend/docker/image_watch.hpp"
#include "backend/docker/local_view.hpp"
#include "engine/attach.hpp"
#include "engine/wait.hpp"

namespace lazaret::backend::docker {

/// A container with the runner as first process. Its exit status is never looked at: it says
/// nothing certain (P-15, P-17).
class DockerBox final : public Box {
 public:
  struct Parts {
    std::unique_ptr<Container> container;
    std::string image;                            ///< the name that was asked for
    std::string image_id;                         ///< what it meant then
    std::vector<std::string> variables;           ///< that it sets for its programs
    std::shared_ptr<const ImageWatch> images;     ///< who may know that it does still
    std::optional<std::uint64_t> edition;         ///< of theirs, before the name was looked up
    std::optional<engine::container::Wait> exit;  ///< registered before the start
    std::unique_ptr<engine::AttachStream> stream;
    std::optional<LocalView> local;
    std::vector<Evidence> evidence;
    std::vector<std::string> warnings;
    std::uint64_t resting_bytes = 0;
  };
  explicit DockerBox(Parts parts) : parts_(std::move(parts)) {}

  [[nodiscard]] Wire& wire() override { return *parts_.stream; }
  [[nodiscard]] const std::vector<Evidence>& evidence() const override { return parts_.evidence; }
  [[nodiscard]] std::span<const std::string> image_variables() const override {
    return parts_.variables;
  }
  [[nodiscard]] const std::vector<std::string>& warnings() const override {
    return parts_.warnings;
  }
  [[nodiscard]] Status kill(const Call& call) override;
  [[nodiscard]] Status dispose(const Call& call) override;
  [[nodiscard]] Autopsy autopsy(const Call& call) override;
  [[nodiscard]] std::optional<Autopsy> counters() override;
  [[nodiscard]] std::optional<std::uint32_t> others() override;
  [[nodiscard]] std::uint64_t resting_bytes() const noexcept override {
    return parts_.resting_bytes;
  }
  /// Whether it has not ended and the image's name still means what it was made of.
  [[nodiscard]] Currency currency(const Call& call) const override;

 private:
  void remember_counters();
  void let_it_leave(const Call& call);
  [[nodiscard]] Status kill_once(const Call& call);
  [[nodiscard]] Status wait_end(const Call& call);
  void ask_engine(Autopsy& autopsy, const Call& call) const;

  Parts parts_;
  std::optional<Autopsy> counters_;  // read from the cgroup, while there was one
  bool ended_ = false;
};

/// An image's id by a member of what an engine shows of the image or of a container made of it;
/// empty where it shows none.
[[nodiscard]] std::string image_id_at(const nlohmann::json& shown, const char* name);

}  // namespace lazaret::backend::docker
