#include "core/describe.hpp"

#include "os/random.hpp"

namespace lazaret::core {
void describe(ExecutionResult& result, const ExecutionRequest& request, const policy::Spec* spec) {
  result.meta.run_id = os::random_hex(16);
  result.meta.version = LAZARET_VERSION;
  result.meta.language = request.command.empty() ? request.language : "exec";
  if (result.meta.backend.empty()) result.meta.backend = "none";
  if (spec == nullptr) return;
  result.meta.language = spec->language;
  result.meta.fixed = spec->fixed;
  result.meta.limits = spec->limits;
  if (result.meta.backend == "docker" || result.meta.backend == "podman")
    result.meta.image = spec->image;
}

}  // namespace lazaret::core
