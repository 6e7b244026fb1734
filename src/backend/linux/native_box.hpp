#pragma once

#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "backend/linux/cgroup.hpp"
#include "backend/linux/seats.hpp"
#include "backend/linux/shared_folder.hpp"
#include "backend/linux/spawner.hpp"

namespace lazaret::backend::native {

/// A set of namespaces with the runner as first process.
class NativeBox final : public Box {
 public:
  struct Parts {
    std::shared_ptr<Spawner> spawner;  ///< shared with the backend: its end would be the box's
    Seats::Seat seat;
    Launched launched;
    std::unique_ptr<Wire> wire;
    std::optional<Cgroup> cgroup;
    os::Handle way_out;  ///< the socket of a spec with hosts
    std::vector<SharedFolder::Look> shared;
    std::string pid_namespace;
    bool is_last = false;  ///< of its spawner, which may end with it; there is no cgroup to remove
    std::vector<Evidence> evidence;
    std::vector<std::string> warnings;
    std::uint64_t resting_bytes = 0;
  };
  explicit NativeBox(Parts parts) : owner_(::getpid()), parts_(std::move(parts)) {}
  ~NativeBox() override;

  [[nodiscard]] Wire& wire() override { return *parts_.wire; }
  [[nodiscard]] const std::vector<Evidence>& evidence() const override { return parts_.evidence; }
  [[nodiscard]] const std::vector<std::string>& warnings() const override {
    return parts_.warnings;
  }
  [[nodiscard]] Status kill(const Call& call) override;
  void doom() noexcept override;
  [[nodiscard]] Status dispose(const Call& call) override;
  [[nodiscard]] Autopsy autopsy(const Call& call) override;
  [[nodiscard]] std::optional<Autopsy> counters() override;
  [[nodiscard]] std::optional<std::uint32_t> others() override;
  [[nodiscard]] Currency currency(const Call&) const override;
  [[nodiscard]] std::uint64_t resting_bytes() const noexcept override {
    return parts_.resting_bytes;
  }
  [[nodiscard]] os::Handle take_way_out() override { return std::move(parts_.way_out); }
  [[nodiscard]] bool ends_later() const override { return parts_.is_last; }

 private:
  void collect();

  pid_t owner_;
  Parts parts_;
  std::optional<Usage> collected_;  // once the first process has been reaped
  bool is_stuck_ = false;           // it was waited for as long as anything is
  bool let_go_ = false;             // its end is that of the spawner, which is waited for
};

}  // namespace lazaret::backend::native
