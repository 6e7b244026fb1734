#include "core/images.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "core/environment.hpp"

namespace lazaret::core {
namespace {

namespace images = backend::images;

// Of one image, with its packages and its layers; an engine that has fallen silent is left then.
constexpr std::chrono::minutes kBuildBound{30};

bool is_meant(const std::string& name, const images::Definition& definition) {
  return name == definition.name || name == "all";
}

// Of all, those are made that this machine can make.
bool is_left_out(const images::Definition& definition, const ImageRequest& request) {
  const auto program = images::program_of(definition);
  if (program.ok() || std::ranges::count(request.names, definition.name) > 0) return false;
  if (request.progress)
    request.progress("leaving out " + definition.name + ": " + program.error().message());
  return true;
}

Result<std::vector<images::Definition>> chosen(const std::vector<std::string>& names) {
  std::vector<images::Definition> list;
  std::string known = "all";
  for (const images::Definition& definition : images::definitions())
    known += ", " + definition.name;
  for (const std::string& name : names) {
    const std::size_t before = list.size();
    for (images::Definition& definition : images::definitions()) {
      if (is_meant(name, definition)) list.push_back(std::move(definition));
    }
    if (list.size() == before)
      return Error(Errc::invalid_argument, "no image is called " + name + "; there are " + known);
  }
  return list;
}

Result<images::From> from_named(const std::string& name) {
  if (name == "auto") return images::From::automatic;
  if (name == "registry") return images::From::registry;
  if (name == "packages") return images::From::packages;
  return Error(Errc::invalid_argument, "--from is auto, registry or packages, not " + name);
}

engine::image::ProgressSink sink_of(const ImageRequest& request) {
  return [&request](const engine::image::Progress& progress) {
    if (request.progress && !progress.status.empty()) request.progress(progress.status);
  };
}

}  // namespace

Result<std::vector<images::Built>> build_images(const backend::Surroundings& here,
                                                const ImageRequest& request, const Call& call) {
  LAZARET_TRY(const auto definitions, chosen(request.names));
  images::BuildOptions options;
  LAZARET_TRY(options.from, from_named(request.from));
  options.contents = request.with_tests ? images::Contents::with_tests : images::Contents::plain;
  options.base = request.base;
  options.cache_directory = request.cache;
  options.environment = build_environment();
  options.now = std::chrono::system_clock::now();
  options.progress = sink_of(request);
  LAZARET_TRY(const engine::EngineClient client, backend::find_engine(here, call));
  std::vector<images::Built> list;
  for (const images::Definition& definition : definitions) {
    if (is_left_out(definition, request)) continue;
    if (request.progress) request.progress("building " + definition.name);
    LAZARET_TRY(images::Built built,
                images::build(client, definition, options, call.within(kBuildBound))
                    .within("building " + definition.name));
    list.push_back(std::move(built));
  }
  return list;
}

Result<std::vector<images::Listed>> list_images(const backend::Surroundings& here,
                                                const Call& call) {
  LAZARET_TRY(const engine::EngineClient client, backend::find_engine(here, call));
  return images::list(client, call);
}

}  // namespace lazaret::core
