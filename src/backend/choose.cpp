#include "backend/choose.hpp"

namespace lazaret::backend {
namespace {

Found found_native() {
  Found found;
  auto made = make_native();
  if (made.ok()) found.backend = std::move(made).value();
  else found.error = std::move(made).error();
  return found;
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

Found find(BackendKind kind, const Surroundings&, const Call&) {
  if (kind == BackendKind::native) return found_native();
  Found found;
  found.error = Error(Errc::backend_unavailable, "no engine");
  return found;
}

Result<engine::EngineClient> find_engine(const Surroundings& surroundings, const Call& call) {
  engine::SearchOptions options;
  options.negotiation.api_version = surroundings.engine.variable("DOCKER_API_VERSION");
  engine::Search search = engine::connect_first(
      engine::candidates(surroundings.engine, options.wanted, surroundings.host), options, call);
  if (!search.client) return engine::no_engine(search);
  return std::move(*search.client);
}

}  // namespace lazaret::backend
