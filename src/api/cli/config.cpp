#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "api/cli/app.hpp"
#include "api/cli/command.hpp"
#include "core/environment.hpp"

namespace lazaret::cli {
namespace {

std::string origin_of(const policy::ConfigRow& row) {
  const std::string origin(policy::name_of(row.source.origin));
  return row.source.name.empty() ? origin : origin + " " + row.source.name;
}

int show(const Common& common) {
  const auto config = core::load_config_here(common.sandbox);
  if (!config.ok()) return complain(config.error(), kUsage);
  auto json = nlohmann::ordered_json::array();
  for (const policy::ConfigRow& row : policy::rows_of(*config)) {
    if (!common.json)
      std::printf("%-22s %-34s %s\n", row.key.c_str(), row.value.c_str(), origin_of(row).c_str());
    json.push_back({{"key", row.key},
                    {"value", row.value},
                    {"origin", policy::name_of(row.source.origin)},
                    {"name", row.source.name}});
  }
  if (common.json) std::printf("%s\n", json.dump(2).c_str());
  return 0;
}

}  // namespace

void add_config(CLI::App& app, Common& common, Action& chosen) {
  auto* const config = app.add_subcommand("config", "the configuration in force");
  config->require_subcommand(1);
  auto* const command = config->add_subcommand("show", "every value, and who said it");
  add_common(*command, common);
  command->callback([&common, &chosen] { chosen = [&common] { return show(common); }; });
}

}  // namespace lazaret::cli
