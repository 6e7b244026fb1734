#include "core/service.hpp"

#include "base/try.hpp"
#include "core/cause.hpp"
#include "core/describe.hpp"
#include "core/languages.hpp"
#include "core/orchestrator.hpp"
#include "core/packages.hpp"
#include "core/ready.hpp"
#include "core/transfer.hpp"
#include "core/warm_backend.hpp"
#include "os/init.hpp"
#include "policy/packages.hpp"
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
  LAZARET_CHECK(look_for_packages(request, spec->language).within("packages"));
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
  for (const auto& [kind, kept] : backends) {
    const auto* const warm = dynamic_cast<const WarmBackend*>(kept.backend.get());
    if (warm != nullptr) states.push_back({warm->name(), warm->counts(), warm->stands()});
  }
  return states;
}

Status Service::keep_ready() {
  LAZARET_CHECK(ready_in(config_, policy::Facts{}.default_grace));
  keeps_ready_ = true;
  return {};
}

void Service::have_ready(backend::Backend& backend) const {
  auto* const warm = dynamic_cast<WarmBackend*>(&backend);
  if (warm != nullptr && listener_) warm->tell(listener_);
  if (warm == nullptr || !keeps_ready_) return;
  const auto all = ready_in(config_, backend.default_grace());
  if (!all.ok()) return;  // checked before
  for (const Ready& ready : *all) warm->keep(ready.spec, ready.count);
}

Service::Choice Service::backend_of(BackendKind kind, const Call& call) {
  Known& here = known();
  const auto found_before = [&here, kind] {
    return here.backends.with([kind](auto& backends) { return backends[kind].backend; });
  };
  if (auto backend = found_before()) return {std::move(backend), Error(Errc::system, "")};
  const auto turn = here.search.take(call);
  if (!turn.ok()) return {nullptr, Error(turn.error()).within("waiting for another search")};
  if (auto backend = found_before()) return {std::move(backend), Error(Errc::system, "")};
  backend::Found found = finder_(kind, call);
  if (!found.backend)
    return {nullptr, found.error.value_or(Error(Errc::backend_unavailable, "no backend"))};
  have_ready(*found.backend);
  here.backends.with([kind, &found](auto& backends) {
    backends[kind] = {found.backend, found.endpoint};
  });
  return {found.backend, Error(Errc::system, "")};
}

std::optional<Error> Service::loss_of(BackendKind kind, Cause cause, const std::stop_token& stop) {
  const bool may_be_gone =
      cause == Cause::backend_unavailable || cause == Cause::infrastructure_lost;
  if (!may_be_gone || kind == BackendKind::native) return std::nullopt;
  const Call call{Deadline::after(kFindBound), stop};  // the run's own may have passed
  Known& here = known();
  const auto turn = here.search.take(call);
  if (!turn.ok()) return std::nullopt;
  backend::Found found = finder_(kind, call);
  if (!found.backend) return found.error;
  here.backends.with([this, kind, &found](auto& backends) {
    auto& kept = backends[kind];
    if (kept.endpoint == found.endpoint) return;
    have_ready(*found.backend);
    std::swap(kept.backend, found.backend);  // whose last user ends it, outside of this lock
    kept.endpoint = found.endpoint;
  });
  return std::nullopt;
}

Result<std::vector<Package>> Service::add_packages(policy::Spec& spec,
                                                   const ExecutionRequest& request,
                                                   backend::Backend& backend) const {
  if (request.packages.empty()) return std::vector<Package>();
  const bool is_python = spec.language == "python";
  const bool is_native = backend.name() == name_of(BackendKind::native);
  if (!is_native && !is_python)
    return Error(Errc::unsupported, "containers have packages for python only")
        .with_hint("--type local");
  const Call call{Deadline::never(), request.stop};
  LAZARET_TRY(const std::string interpreter, backend.interpreter(spec, call));
  const auto install = [&](const ExecutionRequest& wanted, policy::Streams streams) {
    auto way = policy::resolve(wanted, config_, facts_for(backend));
    if (!way.ok()) return failed_run(way.error());
    way->streams = streams;
    way->required.insert(Control::network);  // of what an installer runs, whatever the run allows
    ExecutionResult made = run(backend, wanted, *way).result;
    const auto now = backend.interpreter(spec, call);
    if (now.ok() && *now == interpreter) return made;
    return failed_run(Error(Errc::conflict, "the interpreter has changed meanwhile; try again"));
  };
  const PackageWish wish{request, spec.language, config_.maxima,
                         is_python ? packages_.python : packages_.javascript,
                         config_.package_hosts, interpreter};
  LAZARET_TRY(PackageLayer layer, layer_of(wish, packages_.store, install));
  spec.packages = layer.directory.string();
  if (is_native) spec.mounts.push_back({spec.packages, std::string(policy::kPackages)});
  return std::move(layer.packages);
}

Service::Attempt Service::attempt(BackendKind kind, const ExecutionRequest& request) {
  const Call call{Deadline::after(kFindBound), request.stop};
  const auto nobody = [&request](const Error& why) {
    ExecutionResult result = failed_run(as_unavailable(why));
    describe(result, request, nullptr);
    return Attempt{std::move(result), Reached::nobody};
  };
  const Choice choice = backend_of(kind, call);
  if (!choice.backend) return nobody(choice.error);
  auto spec = policy::resolve(request, config_, facts_for(*choice.backend));
  const auto packages = spec.ok() ? add_packages(*spec, request, *choice.backend) : spec.error();
  Ran ran = packages.ok() ? run(*choice.backend, request, *spec)
                          : Ran{failed_run(packages.error())};
  if (!ran.had_box) {
    const auto lost = loss_of(kind, ran.result.meta.cause, request.stop);
    if (lost) return nobody(*lost);
  }
  describe(ran.result, request, spec.ok() ? &*spec : nullptr);
  if (packages.ok()) ran.result.meta.packages = *packages;
  return {std::move(ran.result), ran.had_box ? Reached::box : Reached::backend};
}

// docker falls back only when no engine answers; auto goes on until a backend gives a box.
bool Service::goes_on_after(Reached reached, Cause cause) const {
  if (cause == Cause::cancelled || cause == Cause::policy_denied) return false;
  if (reached == Reached::nobody) return cause == Cause::backend_unavailable;
  return config_.type == BackendType::automatic && reached == Reached::backend;
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
  return execute_checked(request);
}

ExecutionResult Service::execute_checked(const ExecutionRequest& request) {
  std::string reasons;
  const std::vector<BackendKind> kinds = chain();
  for (std::size_t index = 0;; ++index) {
    Attempt made = attempt(kinds[index], request);
    if (index + 1 == kinds.size() || !goes_on_after(made.reached, made.result.meta.cause)) {
      made.result.meta.fallback = fallback_for(reasons);
      return std::move(made.result);
    }
    add_reason(reasons, kinds[index], reason_of(made.result));
  }
}

}  // namespace lazaret::core
