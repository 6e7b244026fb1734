#include "core/describe.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace lazaret::core {
namespace {

std::string new_run_id() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  thread_local std::random_device source;  // asks the processor what it can each time one is made
  std::string id;
  for (std::uint64_t left = std::uint64_t{source()} << 32 | source(); id.size() < 16; left >>= 4)
    id += kDigits[left % kDigits.size()];
  return id;
}

}  // namespace

void describe(ExecutionResult& result, const ExecutionRequest& request, const policy::Spec* spec) {
  result.meta.run_id = new_run_id();
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
