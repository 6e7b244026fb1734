#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "api/cli/app.hpp"
#include "api/cli/command.hpp"
#include "core/environment.hpp"
#include "core/images.hpp"
#include "core/report_json.hpp"
#include "os/user.hpp"

namespace lazaret::cli {
namespace {

using Json = nlohmann::ordered_json;
namespace images = backend::images;

std::string age_of(const images::Listed& image) {
  if (!image.created) return "-";
  const auto hours = std::chrono::duration_cast<std::chrono::hours>(
                         std::chrono::system_clock::now() - *image.created)
                         .count();
  return hours < 48 ? std::to_string(hours) + " h" : std::to_string(hours / 24) + " d";
}

void show(const std::vector<images::Listed>& list) {
  std::printf("%-24s %-9s %9s %6s  %s\n", "IMAGE", "STATE", "SIZE", "AGE", "ID");
  for (const images::Listed& image : list) {
    const std::string size =
        image.size_bytes > 0 ? std::to_string(image.size_bytes >> 20) + " MiB" : "-";
    std::printf("%-24s %-9s %9s %6s  %s\n", image.reference.c_str(),
                std::string(name_of(image.state)).c_str(), size.c_str(), age_of(image).c_str(),
                image.id.empty() ? "-" : image.id.substr(0, 19).c_str());
  }
}

// What each command does once the configuration is read; interrupts cancel the call.
template <typename Do>
int with_engine(const Common& common, Do&& act) {
  const auto config = core::load_config_here(common.sandbox);
  if (!config.ok()) return complain(config.error(), kUsage);
  std::stop_source stop;
  const os::InterruptWatch watch([&stop] { stop.request_stop(); });
  return act(core::surroundings(*config), Call{Deadline::never(), stop.get_token()});
}

// An engine that has fallen silent, or speaks of something else, says nothing of a way out.
int fail(Error error) {
  if (error.code() == Errc::invalid_argument) return complain(error, kUsage);
  const bool lost = error.code() == Errc::timed_out || error.code() == Errc::connection_lost ||
                    error.code() == Errc::protocol;
  if (lost && error.hint().empty())
    error = std::move(error).with_hint(
        "the engine may be busy, stopped or starting: see its log and try again; `lazaret doctor` "
        "shows what answers");
  return complain(error, kOurFailure);
}

int list(const Common& common) {
  return with_engine(common, [&common](const backend::Surroundings& here, const Call& call) {
    const auto found = core::list_images(here, call.within(std::chrono::seconds(30)));
    if (!found.ok()) return fail(found.error());
    if (common.json)
      std::printf("%s\n", core::to_json(*found, 2).c_str());
    else
      show(*found);
    return 0;
  });
}

int build(const Common& common, core::ImageRequest& request) {
  if (request.names.empty()) request.names = {"all"};
  if (!common.quiet) request.progress = note;
  return with_engine(common,
                     [&common, &request](const backend::Surroundings& here, const Call& call) {
                       const auto built = core::build_images(here, request, call);
                       if (!built.ok()) return fail(built.error());
                       Json json = Json::array();
                       for (const images::Built& image : *built) {
                         json.push_back({{"name", image.name},
                                         {"reference", image.reference},
                                         {"id", image.id},
                                         {"from", name_of(image.from)},
                                         {"from_cache", image.from_cache}});
                         if (!common.json)
                           std::printf("%s %s\n", image.reference.c_str(), image.id.c_str());
                       }
                       if (common.json) std::printf("%s\n", json.dump(2).c_str());
                       return 0;
                     });
}

}  // namespace

void add_images(CLI::App& app, Common& common, Action& chosen) {
  auto* const group =
      app.add_subcommand("images", "the images that Lazaret brings along: which this engine has");
  group->require_subcommand(0, 1);
  add_common(*group, common);
  group->callback([&common, &chosen, group] {
    if (group->get_subcommands().empty()) chosen = [&common] { return list(common); };
  });
  auto* const ls = group->add_subcommand("ls", "which of them this engine has");
  add_common(*ls, common);
  ls->callback([&common, &chosen] { chosen = [&common] { return list(common); }; });

  auto* const command = group->add_subcommand("build", "build them on this engine");
  const auto request = std::make_shared<core::ImageRequest>();
  add_common(*command, common);
  command->add_option("names", request->names,
                      "python, bash, node, deno, c, cpp, go, rust, java or all");
  command->add_option("--from", request->from,
                      "auto, registry (Dockerfile) or packages (mmdebstrap)");
  command->add_option("--base", request->base,
                      "base image instead of the Dockerfile's, e.g. a mirror's");
  command->add_option("--cache", request->cache,
                      "directory that keeps file systems made from packages");
  command->add_flag("--with-tests", request->with_tests, "also what only Lazaret's own tests need");
  command->callback([&common, &chosen, request] {
    chosen = [&common, request] { return build(common, *request); };
  });
}

}  // namespace lazaret::cli
