#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "api/cli/app.hpp"
#include "api/cli/command.hpp"
#include "api/cli/evidence_table.hpp"
#include "api/cli/run_request.hpp"
#include "core/doctor.hpp"
#include "core/environment.hpp"
#include "core/report_json.hpp"
#include "os/user.hpp"

namespace lazaret::cli {
namespace {

void show(const char* what, const std::vector<core::RuntimeFact>& facts) {
  for (const core::RuntimeFact& fact : facts) {
    std::printf("  %s %s%s: %s\n", fact.present ? "[✓]" : "[!]", what, fact.language.c_str(),
                fact.note.c_str());
    for (const Evidence& piece : fact.evidence)
      std::printf("      %s: %s, %s\n", std::string(name_of(piece.control)).c_str(),
                  std::string(name_of(piece.status)).c_str(), piece.applied.c_str());
  }
}

void show(const core::BackendReport& report) {
  std::printf("%s %s%s%s\n", report.usable ? "[✓]" : "[✗]", report.name.c_str(),
              report.runtime.empty() ? "" : (": " + report.runtime).c_str(),
              report.endpoint.empty() ? "" : (" at " + report.endpoint).c_str());
  if (!report.problem.empty()) std::printf("  %s\n", report.problem.c_str());
  for (const std::string& attempt : report.attempts) std::printf("    tried %s\n", attempt.c_str());
  if (!report.hint.empty()) std::printf("  hint: %s\n", report.hint.c_str());
  for (const backend::HostFact& fact : report.host) {
    const bool there = fact.presence == backend::Presence::there;
    std::printf("  %s %s: %s\n", there ? "[✓]" : "[!]", fact.name.c_str(), fact.note.c_str());
    if (!fact.fix.empty()) std::printf("      fix: %s\n", fact.fix.c_str());
  }
  std::fputs(evidence_table(report.evidence).c_str(), stdout);
  show("", report.languages);
  show("packages for ", report.packages);
}

int diagnose(const Common& common, const RunFlags& flags) {
  const auto asked = common_request(flags);
  if (!asked.ok()) return complain(asked.error(), kUsage);
  const auto config = core::load_config_here(common.sandbox);
  if (!config.ok()) return complain(config.error(), kUsage);
  const auto here = core::surroundings(*config);
  std::stop_source stop;
  const os::InterruptWatch watch([&stop] { stop.request_stop(); });
  const core::Diagnosis diagnosis = core::diagnose(
      *config, *asked,
      [&here](backend::BackendKind kind, const Call& call) {
        return backend::find(kind, here, call);
      },
      Call{Deadline::never(), stop.get_token()});
  if (common.json) {
    std::printf("%s\n", core::to_json(diagnosis, 2).c_str());
  } else {
    for (const auto& report : diagnosis.backends) show(report);
    std::printf("type %s: %s\n", diagnosis.chosen.c_str(),
                diagnosis.ready ? "ready" : "nothing here satisfies it");
  }
  return diagnosis.ready ? 0 : 1;
}

}  // namespace

void add_doctor(CLI::App& app, Common& common, Action& chosen) {
  auto* const command = app.add_subcommand(
      "doctor", "try every backend: what would be enforced here, and what is missing");
  add_common(*command, common);
  const auto flags = std::make_shared<RunFlags>();
  add_box_flags(*command, *flags);
  command->callback([&common, &chosen, flags] {
    chosen = [&common, flags] { return diagnose(common, *flags); };
  });
}

}  // namespace lazaret::cli
