#include "backend/docker/connect.hpp"

#include <utility>

#include "backend/docker/docker_backend.hpp"
#include "base/try.hpp"

namespace lazaret::backend::docker {

Result<Connected> connect(DockerBackendOptions options, const Call& call) {
  const auto candidates =
      engine::candidates(options.surroundings, options.search.wanted, options.host);
  engine::Search search = engine::connect_first(candidates, options.search, call);
  if (!search.client) return engine::no_engine(search);
  LAZARET_TRY(auto backend,
              DockerBackend::create(std::move(*search.client), std::move(options.instance)));
  return Connected{std::move(backend), std::move(search.endpoint), std::move(search.origin),
                   std::move(search.attempts)};
}

}  // namespace lazaret::backend::docker
