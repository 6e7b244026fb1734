#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "api/cli/app.hpp"
#include "api/cli/command.hpp"
#include "api/cli/evidence_table.hpp"
#include "core/doctor.hpp"
#include "core/environment.hpp"
#include "os/user.hpp"

namespace lazaret::cli {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const core::BackendReport& report) {
  Json json = {{"name", report.name},         {"usable", report.usable},
               {"runtime", report.runtime},   {"endpoint", report.endpoint},
               {"attempts", report.attempts}, {"problem", report.problem},
               {"hint", report.hint}};
  json["host"] = Json::array();
  for (const backend::HostFact& fact : report.host) {
    json["host"].push_back({{"name", fact.name},
                            {"present", fact.presence == backend::Presence::there},
                            {"note", fact.note},
                            {"fix", fact.fix}});
  }
  json["evidence"] = Json::array();
  for (const Evidence& piece : report.evidence) {
    json["evidence"].push_back({{"control", name_of(piece.control)},
                                {"status", name_of(piece.status)},
                                {"requested", piece.requested},
                                {"applied", piece.applied},
                                {"verified_by", piece.verified_by}});
  }
  json["languages"] = Json::array();
  for (const core::RuntimeFact& fact : report.languages) {
    json["languages"].push_back(
        {{"language", fact.language}, {"present", fact.present}, {"note", fact.note}});
  }
  return json;
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
  for (const core::RuntimeFact& fact : report.languages) {
    std::printf("  %s %s: %s\n", fact.present ? "[✓]" : "[!]", fact.language.c_str(),
                fact.note.c_str());
  }
}

int diagnose(const Common& common) {
  const auto config = core::load_config_here(common.sandbox);
  if (!config.ok()) return complain(config.error(), kUsage);
  const auto here = core::surroundings(*config);
  std::stop_source stop;
  const os::InterruptWatch watch([&stop] { stop.request_stop(); });
  const core::Diagnosis diagnosis = core::diagnose(
      *config,
      [&here](backend::BackendKind kind, const Call& call) {
        return backend::find(kind, here, call);
      },
      Call{Deadline::never(), stop.get_token()});
  if (common.json) {
    Json json = {
        {"chosen", diagnosis.chosen}, {"ready", diagnosis.ready}, {"backends", Json::array()}};
    for (const auto& report : diagnosis.backends) json["backends"].push_back(json_of(report));
    std::printf("%s\n", json.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
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
  command->callback([&common, &chosen] { chosen = [&common] { return diagnose(common); }; });
}

}  // namespace lazaret::cli
