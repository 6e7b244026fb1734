#include "core/service.hpp"

#include "base/try.hpp"
#include "core/cause.hpp"
#include "core/describe.hpp"
#include "core/languages.hpp"
#include "core/orchestrator.hpp"
#include "core/transfer.hpp"
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

void Service::add_reason(std::string& reasons, BackendKind kind, const std::string& why) {
  reasons += (reasons.empty() ? "" : "; ") + std::string(name_of(kind)) + ": " + why;
}

Status Service::check(const ExecutionRequest& request) const {
  const auto spec = policy::resolve(request, config_, {languages()});
  if (!spec.ok()) return spec.error();
  return check_places(request);
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
    ExecutionResult result = failed_run(as_unavailable(choice.error));
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
bool Service::goes_on_after(bool found, Cause cause) const {
  if (!found) return cause == Cause::backend_unavailable;
  if (config_.type != BackendType::automatic) return false;
  return cause == Cause::enforcement_mismatch || cause == Cause::image_missing ||
         cause == Cause::backend_unavailable;
}

std::optional<Fallback> Service::fallback_for(const std::string& reasons) const {
  if (reasons.empty()) return std::nullopt;
  return Fallback{std::string(policy::name_of(config_.type)), reasons};
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
    const bool found = result.meta.backend != "none";
    if (index + 1 == kinds.size() || !goes_on_after(found, result.meta.cause)) {
      result.meta.fallback = fallback_for(reasons);
      return result;
    }
    add_reason(reasons, kinds[index], reason_of(result));
  }
}

}  // namespace lazaret::core
