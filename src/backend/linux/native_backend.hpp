#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.hpp"
#include "backend/linux/cgroup.hpp"
#include "backend/linux/native_box.hpp"
#include "backend/linux/plan.hpp"
#include "backend/linux/spawner.hpp"
#include "base/guarded.hpp"

namespace lazaret::backend::native {

/// Holds foreign code by this kernel's own means: namespaces, an assembled read-only root, seccomp,
/// resource limits and, where one is usable, a cgroup v2. Works as root and as an ordinary user.
class NativeBackend final : public Backend {
 public:
  /// Looks at the host; nothing is started before the first box. Errors: too_large.
  [[nodiscard]] static Result<std::unique_ptr<Backend>> create();

  [[nodiscard]] std::string name() const override { return "native"; }
  [[nodiscard]] std::string runtime() const override;
  [[nodiscard]] std::vector<HostFact> host() const override;
  [[nodiscard]] Result<std::unique_ptr<Box>> open(const policy::Spec& spec,
                                                  const Call& call) override;
  [[nodiscard]] std::chrono::milliseconds default_grace() const override {
    return std::chrono::seconds(5);
  }

 private:
  // Shared by the backend and the boxes that are alive: the spawner's end would be theirs.
  using SharedSpawner = std::shared_ptr<Spawner>;

  NativeBackend(const Foundation& foundation, CgroupBase cgroups, const Processors& processors)
      : foundation_(foundation), cgroups_(std::move(cgroups)), processors_(processors) {}
  [[nodiscard]] Result<SharedSpawner> spawner(const Call& call);
  [[nodiscard]] Status launch(NativeBox::Parts& parts, const policy::Spec& spec, const Call& call);
  void forget(const SharedSpawner& spawner);

  Foundation foundation_;
  CgroupBase cgroups_;
  Processors processors_;
  std::atomic<std::size_t> turn_ = 0;
  Guarded<SharedSpawner> spawner_;
};

}  // namespace lazaret::backend::native
