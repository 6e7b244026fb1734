#pragma once

#include <memory>
#include <string>

#include "backend/backend.hpp"
#include "backend/linux/cgroup.hpp"
#include "backend/linux/native_box.hpp"
#include "backend/linux/tree.hpp"

namespace lazaret::backend::native {

/// Holds foreign code by this kernel's own means: namespaces, an assembled read-only root, seccomp,
/// resource limits and, where one is usable, a cgroup v2. Works as root and as an ordinary user.
class NativeBackend final : public Backend {
 public:
  /// Prepares what every box shares. Errors: those of memfd_create.
  [[nodiscard]] static Result<std::unique_ptr<Backend>> create();

  [[nodiscard]] std::string name() const override { return "native"; }
  [[nodiscard]] std::string runtime() const override;
  [[nodiscard]] Result<std::unique_ptr<Box>> open(const policy::Spec& spec,
                                                  const Call& call) override;
  [[nodiscard]] std::chrono::milliseconds default_grace() const override {
    return std::chrono::seconds(5);
  }

 private:
  struct Shared {
    RootTree tree;
    os::Handle runner;  ///< sealed memfd
    os::Handle null;
    CgroupBase cgroups;
  };
  explicit NativeBackend(Shared shared) : shared_(std::move(shared)) {}

  [[nodiscard]] Result<Launched> start(const policy::Spec& spec, const NativeBox::Parts& parts,
                                       int wire, const Call& call);

  Shared shared_;
};

}  // namespace lazaret::backend::native
