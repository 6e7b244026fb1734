#include "core/orchestrator.hpp"

#include <memory>
#include <utility>

#include "backend/verdict.hpp"
#include "core/bounds.hpp"
#include "core/cause.hpp"
#include "core/one_run.hpp"
#include "core/run_error.hpp"
#include "core/way_out.hpp"
#include "runner/client.hpp"

namespace lazaret::core {
namespace {

// What became of one attempt, and whether another is as good as a first one.
struct Attempt {
  Ran ran;
  bool may_be_repeated = false;
};

void describe(ExecutionResult& result, const backend::Box& box) {
  result.meta.made_ahead = box.is_made_ahead();
  result.meta.evidence = box.evidence();
  result.meta.isolation = backend::isolation_of(result.meta.evidence);
  std::vector<std::string>& warnings = result.meta.warnings;
  warnings.insert(warnings.end(), box.warnings().begin(), box.warnings().end());
}

Attempt run_in(backend::Box& box, const ExecutionRequest& request, const policy::Spec& spec) {
  runner::Client client(box.wire());
  const auto way_out = way_out_of(box, spec);
  if (!way_out.ok()) return {{failed_run(way_out.error()), true}, false};
  OneRun run = run_one(box, client, request, spec);
  describe(run.result, box);
  const Status gone = box.dispose(Call{}.within(kEndBound));
  if (!gone.ok())
    run.result.meta.warnings.push_back("the box could not be removed: " + gone.error().message());
  put_connections(run.result, way_out->get(), Inside::over, request.stop);
  return {{std::move(run.result), true}, run.died_unused && box.ends_later()};
}

Attempt run_once(backend::Backend& backend, const ExecutionRequest& request,
                 const policy::Spec& spec) {
  const auto bound = spec.packages.empty() ? kOpenBound : kOpenWithPackagesBound;
  const auto box = backend.open(spec, Call{Deadline::after(bound), request.stop});
  if (box.ok()) return run_in(**box, request, spec);
  Error error = as_ours(box.error());
  if (error.hint().empty()) error = std::move(error).with_hint(kHasNotRun);
  return {{failed_run(error), false}, false};
}

}  // namespace

ExecutionResult failed_run(const Error& error) {
  ExecutionResult result;
  result.meta.cause = cause_of_error(error.code());
  const bool denied = result.meta.cause == Cause::policy_denied;
  result.error = ResultError{denied ? ErrorType::PolicyDenied : ErrorType::BackendError,
                             error.message(),
                             {},
                             error.hint().empty() ? std::nullopt : std::optional(error.hint())};
  return result;
}

OneRun run_kept(backend::Box& box, runner::Client& client, const ExecutionRequest& request,
                const policy::Spec& spec) {
  OneRun run = run_one(box, client, request, spec);
  describe(run.result, box);
  return run;
}

// A box that was made ahead may die in the very moment in which it is handed over.
Ran run(backend::Backend& backend, const ExecutionRequest& request, const policy::Spec& spec) {
  Attempt attempt = run_once(backend, request, spec);
  if (attempt.may_be_repeated) attempt = run_once(backend, request, spec);
  attempt.ran.result.meta.backend = backend.name();
  attempt.ran.result.meta.runtime = backend.runtime();
  return std::move(attempt.ran);
}

}  // namespace lazaret::core
