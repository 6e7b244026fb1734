#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "api/cli/app.hpp"
#include "api/cli/command.hpp"
#include "core/environment.hpp"
#include "core/garbage.hpp"
#include "os/user.hpp"

namespace lazaret::cli {
namespace {

void show(const std::vector<backend::Finding>& findings) {
  for (const backend::Finding& finding : findings) {
    std::printf("%s\n", core::sentence_of(finding).c_str());
    if (!finding.hint.empty()) std::printf("  hint: %s\n", finding.hint.c_str());
  }
  if (findings.empty()) std::printf("nothing is left of any Lazaret that has died\n");
}

int collect(const Common& common, const backend::SweepOptions& options) {
  const auto config = core::load_config_here(common.sandbox);
  if (!config.ok()) return complain(config.error(), kUsage);
  std::stop_source stop;
  const os::InterruptWatch watch([&stop] { stop.request_stop(); });
  const auto findings =
      core::sweep(core::surroundings(*config), options, Call{Deadline::never(), stop.get_token()});
  if (common.json)
    std::printf("%s\n", core::to_json(findings, 2).c_str());
  else if (!common.quiet || !core::is_clean(findings))
    show(findings);
  if (stop.stop_requested()) return kInterrupted;
  return core::is_clean(findings) ? 0 : 1;
}

}  // namespace

void add_gc(CLI::App& app, Common& common, Action& chosen) {
  auto* const command = app.add_subcommand(
      "gc", "remove what a Lazaret that was killed has left, on every engine and in this system");
  command->footer(
      "Goes through every engine and this system, whatever --type says. Removes only what a dead\n"
      "process of yours on this machine has made. Exit status: 0 when nothing of that is left, 1\n"
      "when something could not be removed.");
  add_common(*command, common);
  const auto options = std::make_shared<backend::SweepOptions>();
  command->add_flag_callback(
      "--dry-run", [options] { options->act = backend::Act::look; },
      "show what would be removed, and remove nothing");
  command->add_flag_callback(
      "--forget", [options] { options->unreachable = backend::Unreachable::forget; },
      "forget engines that no longer answer, and what was left on them");
  command->callback([&common, &chosen, options] {
    chosen = [&common, options] { return collect(common, *options); };
  });
}

}  // namespace lazaret::cli
