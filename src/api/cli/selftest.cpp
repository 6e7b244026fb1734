#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/cli/app.hpp"
#include "api/cli/command.hpp"
#include "base/utf8.hpp"
#include "core/environment.hpp"
#include "core/selftest/battery.hpp"
#include "core/selftest/catalogue.hpp"
#include "os/user.hpp"

namespace lazaret::cli {
namespace {

namespace selftest = core::selftest;
using selftest::Proof;
using selftest::Verdict;

struct Flags {
  std::vector<std::string> only;
  bool list = false;
  bool no_control = false;
};

const char* mark_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::blocked:
    case Verdict::works: return "[✓]";
    case Verdict::by_design: return "[d]";
    case Verdict::failed: return "[✗]";
    case Verdict::not_run: return "[!]";
  }
  return "";
}

std::string proof_of(const selftest::Finding& finding) {
  switch (finding.bare.proof) {
    case Proof::proves: return "proves";
    case Proof::proves_nothing: return "proves nothing here";
    case Proof::not_run: return finding.bare.detail.empty() ? "" : "no control run";
  }
  return "";
}

// What a probe has brought to light was chosen by foreign code or is of the kernel's making.
void show(const selftest::Finding& finding) {
  std::printf(
      "  %s %-28s %s: %s%s%s%s\n", mark_of(finding.inside.verdict), finding.probe.id.c_str(),
      finding.probe.title.c_str(), std::string(name_of(finding.inside.verdict)).c_str(),
      finding.inside.detail.empty() ? "" : ", ", printable(finding.inside.detail, '?').c_str(),
      proof_of(finding).empty() ? "" : ("; " + proof_of(finding)).c_str());
}

void show_section(const selftest::Report& report, const selftest::Section& section) {
  const auto is_here = [&section](const selftest::Finding& finding) {
    return finding.probe.section() == section.letter;
  };
  if (std::none_of(report.findings.begin(), report.findings.end(), is_here)) return;
  const auto count = [&report, &section](Verdict verdict) {
    return report.count(verdict, section.letter);
  };
  std::printf("%c  %s: %zu held, %zu allowed by design, %zu FAILED, %zu not run; %zu proven here\n",
              section.letter, std::string(section.title).c_str(),
              count(Verdict::blocked) + count(Verdict::works), count(Verdict::by_design),
              count(Verdict::failed), count(Verdict::not_run),
              report.count(Proof::proves, section.letter));
  for (const selftest::Finding& finding : report.findings) {
    if (is_here(finding)) show(finding);
  }
}

void show(const selftest::Report& report) {
  for (const selftest::Section& section : selftest::sections()) show_section(report, section);
  std::printf(
      "%s (%s): %zu probes, %zu held, %zu allowed by design, %zu FAILED, %zu not run, "
      "%zu proven here; %.0f s\n",
      report.backend.c_str(), report.runtime.c_str(), report.findings.size(),
      report.count(Verdict::blocked) + report.count(Verdict::works),
      report.count(Verdict::by_design), report.count(Verdict::failed),
      report.count(Verdict::not_run), report.count(Proof::proves), report.seconds);
}

std::string where_by_design(const selftest::Probe& probe) {
  if (probe.by_design_of_engines) return "in containers";
  const auto& without = probe.by_design_without;
  return without ? "where " + std::string(name_of(*without)) + " is not enforced" : "always";
}

int list(const std::vector<selftest::Probe>& probes, const Common& common) {
  auto json = nlohmann::ordered_json::array();
  for (const selftest::Probe& probe : probes) {
    if (!common.json)
      std::printf("%-28s %3d  %s\n", probe.id.c_str(), probe.row, probe.title.c_str());
    json.push_back({{"id", probe.id}, {"row", probe.row}, {"title", probe.title}});
    if (probe.by_design.empty()) continue;
    json.back()["by_design"] = {{"why", probe.by_design}, {"where", where_by_design(probe)}};
  }
  if (common.json) std::printf("%s\n", json.dump(2).c_str());
  return 0;
}

std::function<void(std::size_t, std::size_t)> progress_for(const Common& common) {
  if (common.quiet || !os::is_terminal(2)) return {};
  return [](std::size_t done, std::size_t all) {
    std::fprintf(stderr, done < all ? "\r%zu of %zu steps" : "\r\033[K", done, all);
  };
}

// A failure that the machine's own state explains is still one: the status is 0 only for a battery
// that ran to its end without any.
int run_probes(std::vector<selftest::Probe> probes, const Common& common, const Flags& flags) {
  SandboxOptions options = common.sandbox;
  options.fallback = false;
  if (!options.type) options.type = "local";
  auto config = core::load_config_here(options);
  if (!config.ok()) return complain(config.error(), kUsage);
  config->pool.most = 0;  // each probe looks at what is there
  const auto service = core::make_service(std::move(config).value());
  std::stop_source stop;
  const os::InterruptWatch watch([&stop] { stop.request_stop(); });
  const auto report = selftest::run_battery(
      {.probes = std::move(probes),
       .execute = [&service](const ExecutionRequest& request) { return service->execute(request); },
       .control = flags.no_control ? selftest::ControlRuns::left_out : selftest::ControlRuns::made,
       .workers = std::min(8U, 2 * os::processors()),
       .progress = progress_for(common)},
      Call{Deadline::never(), stop.get_token()});
  if (!report.ok()) return complain(report.error(), kOurFailure);
  if (common.json)
    std::printf("%s\n", to_json(*report).c_str());
  else
    show(*report);
  if (stop.stop_requested()) return kInterrupted;
  return report->complete && report->count(Verdict::failed) == 0 ? 0 : 1;
}

}  // namespace

void add_selftest(CLI::App& app, Common& common, Action& chosen) {
  auto* const command = app.add_subcommand(
      "selftest", "attack a box of this machine in hundreds of ways and see that it holds");
  add_common(*command, common);
  // Shared by the callback, which outlives this function.
  const auto flags = std::make_shared<Flags>();
  command->add_option("--only", flags->only, "only these probes: an id or how it begins, as A-07");
  command->add_flag("--list", flags->list, "show the probes and run none");
  command->add_flag("--no-control", flags->no_control, "attempt nothing without a box");
  command->callback([&common, &chosen, flags] {
    chosen = [&common, flags] {
      auto probes = selftest::chosen_probes(flags->only);
      if (!probes.ok()) return complain(probes.error(), kUsage);
      if (flags->list) return list(*probes, common);
      return run_probes(std::move(probes).value(), common, *flags);
    };
  });
}

}  // namespace lazaret::cli
