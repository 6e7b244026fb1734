#pragma once

#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "backend/linux/cgroup.hpp"
#include "backend/linux/spawner.hpp"

namespace lazaret::backend::native {

/// A set of namespaces with the runner as first process.
class NativeBox final : public Box {
 public:
  struct Parts {
    std::shared_ptr<Spawner> spawner;  ///< shared with the backend: its end would be the box's
    Launched launched;
    std::unique_ptr<Wire> wire;
    std::optional<Cgroup> cgroup;
    std::string pid_namespace;
    std::vector<Evidence> evidence;
    std::vector<std::string> warnings;
  };
  explicit NativeBox(Parts parts) : owner_(::getpid()), parts_(std::move(parts)) {}
  ~NativeBox() override;

  [[nodiscard]] Wire& wire() override { return *parts_.wire; }
  [[nodiscard]] const std::vector<Evidence>& evidence() const override { return parts_.evidence; }
  [[nodiscard]] const std::vector<std::string>& warnings() const override {
    return parts_.warnings;
  }
  [[nodiscard]] Status kill(const Call& call) override;
  [[nodiscard]] Status dispose(const Call& call) override;
  [[nodiscard]] Autopsy autopsy(const Call& call) override;

 private:
  void collect();

  pid_t owner_;
  Parts parts_;
  std::optional<Usage> collected_;  // once the first process has been reaped
};

}  // namespace lazaret::backend::native
