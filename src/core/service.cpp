#include "core/service.hpp"

#include "base/try.hpp"
#include "core/artifacts.hpp"
#include "core/describe.hpp"
#include "core/inputs.hpp"
#include "core/languages.hpp"
#include "core/orchestrator.hpp"
#include "core/warm_backend.hpp"
#include "os/init.hpp"
#include "policy/resolve.hpp"

namespace lazaret::core {
namespace {

using backend::BackendKind;
using policy::BackendType;

constexpr std::chrono::seconds kFindBound{30};

std::string reason_of(const ExecutionResult& result) {
  return result.error ? result.error->message : std::string(name_of(result.meta.cause));
}

}  // namespace

Status Service::check(const ExecutionRequest& request) const {
  const auto spec = policy::resolve(request, config_, {languages()});
  if (!spec.ok()) return spec.error();
  LAZARET_CHECK(look_for(request.inputs).within("inputs"));
  return request.output_directory ? check_output_directory(*request.output_directory) : Status();
}

std::vector<BackendKind> Service::chain() const {
  const bool fallback = config_.fallback == policy::FallbackRule::allow;
  switch (config_.type) {
    case BackendType::local: return {BackendKind::native};
    case BackendType::docker:
      return fallback ? std::vector{BackendKind::docker, BackendKind::native}
                      : std::vector{BackendKind::docker};
    case BackendType::podman:
      return fallback ? std::vector{BackendKind::podman, BackendKind::native}
                      : std::vector{BackendKind::podman};
    case BackendType::automatic:
      return {BackendKind::docker, BackendKind::podman, BackendKind::native};
  }
  return {};
}

Service::~Service() {
  std::unique_ptr<Known> own(known_.load());
  if (own->owner != os::process_id()) (void)own.release();
}

// In a fork the threads of its parent are not there, neither those that make boxes ahead nor one
// that searches, and what they held is held for ever: it leaves all that alone and has its own.
Service::Known& Service::known() {
  Known* seen = known_.load();
  while (seen->owner != os::process_id()) {
    auto own = std::make_unique<Known>();
    if (known_.compare_exchange_strong(seen, own.get())) return *own.release();
  }
  return *seen;
}

std::vector<PoolState> Service::pools() {
  const auto backends = known().backends.with([](const auto& all) { return all; });
  std::vector<PoolState> states;
  for (const auto& [kind, backend] : backends) {
    const auto* const warm = dynamic_cast<const WarmBackend*>(backend.get());
    if (warm != nullptr) states.push_back({warm->name(), warm->counts(), warm->stands()});
  }
  return states;
}

Service::Choice Service::backend_of(BackendKind kind, const Call& call) {
  Known& here = known();
  const auto found_before = [&here, kind] {
    return here.backends.with([kind](auto& backends) { return backends[kind]; });
  };
  if (auto backend = found_before()) return {std::move(backend), Error(Errc::system, "")};
  const auto turn = here.search.take(call);
  if (!turn.ok()) return {nullptr, Error(turn.error()).within("waiting for another search")};
  if (auto backend = found_before()) return {std::move(backend), Error(Errc::system, "")};
  backend::Found found = finder_(kind, call);
  if (!found.backend)
    return {nullptr, found.error.value_or(Error(Errc::backend_unavailable, "no backend"))};
  here.backends.with([kind, &found](auto& backends) { backends[kind] = found.backend; });
  return {found.backend, Error(Errc::system, "")};
}

ExecutionResult Service::attempt(BackendKind kind, const ExecutionRequest& request) {
  const Choice choice = backend_of(kind, Call{Deadline::after(kFindBound), request.stop});
  if (!choice.backend) {
    const bool cancelled = choice.error.code() == Errc::cancelled;
    ExecutionResult result =
        failed_run(cancelled ? choice.error : Error(choice.error).as(Errc::backend_unavailable));
    describe(result, request, nullptr);
    return result;
  }
  const auto spec =
      policy::resolve(request, config_, {languages(), choice.backend->default_grace()});
  ExecutionResult result =
      spec.ok() ? run(*choice.backend, request, *spec) : failed_run(spec.error());
  describe(result, request, spec.ok() ? &*spec : nullptr);
  return result;
}

// docker falls back only when no engine answers; auto goes on until a backend satisfies.
bool Service::goes_on_after(const ExecutionResult& result) const {
  if (result.meta.backend == "none") return result.meta.cause == Cause::backend_unavailable;
  if (config_.type != BackendType::automatic) return false;
  return result.meta.cause == Cause::enforcement_mismatch ||
         result.meta.cause == Cause::image_missing ||
         result.meta.cause == Cause::backend_unavailable;
}

bool Service::goes_on_after(Errc code) const {
  if (code == Errc::backend_unavailable || code == Errc::connection_refused) return true;
  return config_.type == BackendType::automatic &&
         (code == Errc::enforcement_mismatch || code == Errc::image_missing);
}

ExecutionResult Service::execute(const ExecutionRequest& request) {
  if (const Status checked = check(request); !checked.ok()) {
    ExecutionResult result = failed_run(checked.error());
    describe(result, request, nullptr);
    return result;
  }
  std::string reasons;
  const std::vector<BackendKind> kinds = chain();
  for (std::size_t index = 0;; ++index) {
    ExecutionResult result = attempt(kinds[index], request);
    if (index + 1 < kinds.size() && goes_on_after(result)) {
      reasons += (reasons.empty() ? "" : "; ") + std::string(name_of(kinds[index])) + ": " +
                 reason_of(result);
      continue;
    }
    if (!reasons.empty())
      result.meta.fallback = Fallback{std::string(policy::name_of(config_.type)), reasons};
    return result;
  }
}

}  // namespace lazaret::core
