#include "core/doctor.hpp"

#include <algorithm>
#include <iterator>

#include "backend/verdict.hpp"
#include "base/try.hpp"
#include "core/languages.hpp"
#include "core/orchestrator.hpp"
#include "core/run_error.hpp"
#include "policy/resolve.hpp"

namespace lazaret::core {
namespace {

using backend::BackendKind;

constexpr std::chrono::seconds kBackendBound{60};

// What is to be tried: a run that asks for this, on this backend, with this configuration.
struct Trial {
  const policy::Config& config;
  const ExecutionRequest& asked;
};

// A program that shows its version; no code of anybody else's is run.
RuntimeFact try_version(backend::Backend& backend, const Trial& trial,
                        const policy::Language& language) {
  const policy::Config& config = trial.config;
  ExecutionRequest request = trial.asked;
  request.command = language.version;
  request.required_controls.emplace();
  const auto image = config.images.find(language.name);
  const bool is_unsaid = !request.image && backend.has_images();
  if (is_unsaid && image != config.images.end()) request.image = image->second;
  const auto spec = policy::resolve(request, config, facts_for(backend));
  if (!spec.ok()) return {language.name, false, spec.error().message()};
  const ExecutionResult result = run(backend, request, *spec).result;
  const std::string first = result.stdout_text.substr(0, result.stdout_text.find('\n'));
  if (result.success()) return {language.name, true, first};
  const std::string why =
      result.error ? result.error->message : std::string(name_of(result.meta.cause));
  const bool absent = result.meta.cause == Cause::start_failed;
  if (absent) return {language.name, false, why + "; install " + language.needs};
  const bool helps = result.error && result.error->hint && *result.error->hint != kHasNotRun;
  return {language.name, false, helps ? why + "; " + *result.error->hint : why};
}

// What core/packages has them installed by.
std::vector<RuntimeFact> try_installers(backend::Backend& backend, const policy::Config& config) {
  const ExecutionRequest plain;
  constexpr const char* kPip =
      "import sys, glob; sys.path += glob.glob('/usr/share/python-wheels/*.whl'); import pip; "
      "print('pip', pip.__version__)";
  constexpr const char* kNpm =
      "console.log('npm', require('child_process').execFileSync('npm', ['--version']).toString())";
  const policy::Language pip{"python", {}, {}, {"python3", "-I", "-c", kPip}, "python3-pip"};
  const policy::Language npm{"javascript", {}, {}, {"node", "--eval", kNpm}, "npm"};
  std::vector<RuntimeFact> facts;
  for (const policy::Language& installer : {pip, npm}) {
    RuntimeFact fact = try_version(backend, {config, plain}, installer);
    // Also where the interpreter is there and finds none.
    if (!fact.present) fact.note = "cannot be installed; install " + installer.needs;
    facts.push_back(std::move(fact));
  }
  return facts;
}

// The spec of a program that is never started.
Result<policy::Spec> trial_spec(const Trial& trial, const backend::Backend& backend,
                                const std::string& language) {
  ExecutionRequest request = trial.asked;
  request.language = language;
  request.code = "pass";
  return policy::resolve(request, trial.config, facts_for(backend));
}

// Whatever it lacks is to be seen: no code of anybody's runs in it.
Result<std::unique_ptr<backend::Box>> open_box(policy::Spec spec, backend::Backend& backend,
                                               const Call& call) {
  spec.required.clear();
  return backend.open(spec, call.within(kBackendBound));
}

Result<std::vector<Evidence>> evidence_of(const policy::Spec& spec, backend::Backend& backend,
                                          const Call& call) {
  LAZARET_TRY(const auto box, open_box(spec, backend, call));
  return box->evidence();
}

Status try_box(BackendReport& report, backend::Backend& backend, const Trial& trial,
               const Call& call) {
  LAZARET_TRY(const policy::Spec spec, trial_spec(trial, backend, "python"));
  LAZARET_TRY(report.evidence, evidence_of(spec, backend, call));
  return backend::require(report.evidence, spec);
}

void look(BackendReport& report, backend::Backend& backend, const Trial& trial, const Call& call) {
  const Status tried = try_box(report, backend, trial, call);
  report.usable = tried.ok();
  if (tried.ok()) return;
  report.problem = tried.error().message();
  if (report.evidence.empty()) report.hint = tried.error().hint();
}

// A limit that some runtimes cannot start under holds for the others alone.
Result<std::vector<Evidence>> own_evidence(const BackendReport& report, const std::string& language,
                                           backend::Backend& backend, const Trial& trial,
                                           const Call& call) {
  std::vector<Evidence> own;
  LAZARET_TRY(const policy::Spec spec, trial_spec(trial, backend, language));
  LAZARET_TRY(const auto all, evidence_of(spec, backend, call));
  const auto is_said = [&report](const Evidence& piece) {
    return std::ranges::any_of(report.evidence, [&piece](const Evidence& said) {
      return said.control == piece.control && said.status == piece.status &&
             said.applied == piece.applied;
    });
  };
  std::ranges::remove_copy_if(all, std::back_inserter(own), is_said);
  return own;
}

BackendReport examine(BackendKind kind, const Trial& trial, const BackendFinder& finder,
                      const Call& call) {
  BackendReport report;
  report.name = name_of(kind);
  const backend::Found found = finder(kind, call.within(kBackendBound));
  report.attempts = found.attempts;
  report.endpoint = found.endpoint;
  if (!found.backend) {
    report.problem = found.error ? found.error->message() : "not found";
    report.hint = found.error ? found.error->hint() : "";
    return report;
  }
  report.runtime = found.backend->runtime();
  look(report, *found.backend, trial, call);
  report.host = found.backend->host();
  for (const policy::Language& language : languages()) {
    if (call.stop.stop_requested()) break;
    RuntimeFact& fact =
        report.languages.emplace_back(try_version(*found.backend, trial, language));
    if (!fact.present || kind != BackendKind::native) continue;
    auto own = own_evidence(report, language.name, *found.backend, trial, call);
    if (own.ok())
      fact.evidence = *std::move(own);
    else
      fact = {language.name, false, own.error().message()};
  }
  if (kind == BackendKind::native) report.packages = try_installers(*found.backend, trial.config);
  return report;
}

bool satisfies(const policy::Config& config, const std::vector<BackendReport>& reports) {
  const auto usable = [&reports](std::string_view name) {
    return std::any_of(reports.begin(), reports.end(), [name](const BackendReport& report) {
      return report.name == name && report.usable;
    });
  };
  const bool fallback = config.fallback == policy::FallbackRule::allow;
  switch (config.type) {
    case policy::BackendType::local: return usable("native");
    case policy::BackendType::docker: return usable("docker") || (fallback && usable("native"));
    case policy::BackendType::podman: return usable("podman") || (fallback && usable("native"));
    case policy::BackendType::automatic:
      return usable("docker") || usable("podman") || usable("native");
  }
  return false;
}

}  // namespace

Diagnosis diagnose(const policy::Config& config, const ExecutionRequest& asked,
                   const BackendFinder& finder, const Call& call) {
  Diagnosis diagnosis;
  diagnosis.chosen = policy::name_of(config.type);
  for (const BackendKind kind : {BackendKind::native, BackendKind::docker, BackendKind::podman}) {
    diagnosis.backends.push_back(examine(kind, {config, asked}, finder, call));
  }
  diagnosis.ready = satisfies(config, diagnosis.backends);
  return diagnosis;
}

}  // namespace lazaret::core
