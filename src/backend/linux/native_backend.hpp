#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.hpp"
#include "backend/choose.hpp"
#include "backend/linux/cgroup.hpp"
#include "backend/linux/disks.hpp"
#include "backend/linux/interpreter.hpp"
#include "backend/linux/native_box.hpp"
#include "backend/linux/plan.hpp"
#include "backend/linux/spawners.hpp"

namespace lazaret::backend::native {

/// Holds foreign code by this kernel's own means: namespaces, an assembled read-only root, seccomp,
/// resource limits and, where one is usable, a cgroup v2. Works as root and as an ordinary user.
class NativeBackend final : public Backend {
 public:
  /// Looks at the host; nothing is started before the first box. `state` as of Surroundings.
  NativeBackend(Serves serves, const std::optional<std::filesystem::path>& state);

  [[nodiscard]] std::string name() const override { return "native"; }
  [[nodiscard]] std::string runtime() const override;
  [[nodiscard]] std::vector<HostFact> host() const override;
  [[nodiscard]] Result<std::unique_ptr<Box>> open(const policy::Spec& spec,
                                                  const Call& call) override;
  [[nodiscard]] std::chrono::milliseconds default_grace() const override {
    return std::chrono::seconds(5);
  }
  [[nodiscard]] bool has_images() const override { return false; }
  [[nodiscard]] Result<std::string> interpreter(const policy::Spec& spec,
                                                const Call&) const override {
    return interpreter_of(spec.language);
  }

 private:
  // One of its own for a box that shows directories of the host's: they are part of its ground.
  [[nodiscard]] Result<Spawners::Choice> spawner_of(NativeBox::Parts& parts,
                                                    const policy::Spec& spec, const Call& call);
  [[nodiscard]] Status launch(NativeBox::Parts& parts, const policy::Spec& spec, const Call& call);
  [[nodiscard]] Status ask(NativeBox::Parts& parts, Spawners::Choice choice,
                           const policy::Spec& spec, const Call& call);

  [[nodiscard]] Status make_cgroup(NativeBox::Parts& parts, const policy::Spec& spec);

  const CgroupBase cgroups_;
  const Processors processors_;
  const Identity identity_;
  const Serves serves_;
  std::once_flag disks_seen_;
  Disks tree_disks_;  // only where there are cgroups
  std::atomic<std::uint64_t> next_ground_ = 1;
  Spawners spawners_;
};

}  // namespace lazaret::backend::native
