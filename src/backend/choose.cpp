#include "backend/choose.hpp"

#include <utility>

#include "backend/docker/connect.hpp"

namespace lazaret::backend {
namespace {

Found found_native(const Surroundings& surroundings) {
  Found found;
  auto made = make_native(surroundings.serves, surroundings.state);
  if (made.ok())
    found.backend = std::move(made).value();
  else
    found.error = std::move(made).error();
  return found;
}

engine::SearchOptions search_options(engine::Wanted wanted, const Surroundings& surroundings) {
  engine::SearchOptions options;
  options.wanted = wanted;
  options.negotiation.api_version = surroundings.engine.variable("DOCKER_API_VERSION");
  return options;
}

// An engine that the user has named serves whichever kind it is; the search keeps to the kind.
engine::Wanted wanted(BackendKind kind, const Surroundings& surroundings) {
  const bool named = surroundings.host || surroundings.engine.variable("DOCKER_HOST");
  if (named && kind == BackendKind::docker) return engine::Wanted::any;
  return kind == BackendKind::docker ? engine::Wanted::docker : engine::Wanted::podman;
}

std::string text_of(const engine::Attempt& attempt) {
  return attempt.endpoint + " (" + attempt.origin + "): " + attempt.error.message();
}

Found found_engine(BackendKind kind, const Surroundings& surroundings, const Call& call) {
  docker::DockerBackendOptions options;
  options.surroundings = surroundings.engine;
  options.host = surroundings.host;
  options.search = search_options(wanted(kind, surroundings), surroundings);
  options.state = surroundings.state;
  auto connected = docker::connect(std::move(options), call);
  Found found;
  for (const engine::Attempt& attempt : connected.attempts)
    found.attempts.push_back(text_of(attempt));
  if (connected.backend.ok()) {
    found.backend = std::move(connected.backend).value();
    found.endpoint = connected.endpoint;
  } else {
    found.error = std::move(connected.backend).error();
  }
  return found;
}

Result<engine::EngineClient> first_engine(engine::Wanted wanted, const Surroundings& surroundings,
                                          const Call& call) {
  const engine::SearchOptions options = search_options(wanted, surroundings);
  engine::Search search = engine::connect_first(
      engine::candidates(surroundings.engine, options.wanted, surroundings.host), options, call);
  if (!search.client) return engine::no_engine(search);
  return std::move(*search.client);
}

}  // namespace

std::string_view name_of(BackendKind kind) noexcept {
  switch (kind) {
    case BackendKind::native: return "native";
    case BackendKind::docker: return "docker";
    case BackendKind::podman: return "podman";
  }
  return "";
}

Found find(BackendKind kind, const Surroundings& surroundings, const Call& call) {
  return kind == BackendKind::native ? found_native(surroundings)
                                     : found_engine(kind, surroundings, call);
}

Result<engine::EngineClient> find_engine(BackendKind kind, const Surroundings& surroundings,
                                         const Call& call) {
  return first_engine(wanted(kind, surroundings), surroundings, call);
}

Result<engine::EngineClient> find_engine(const Surroundings& surroundings, const Call& call) {
  return first_engine(engine::Wanted::any, surroundings, call);
}

}  // namespace lazaret::backend
