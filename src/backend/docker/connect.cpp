#include "backend/docker/connect.hpp"

#include <utility>

#include "backend/docker/docker_backend.hpp"
#include "backend/docker/sweep.hpp"
#include "base/try.hpp"

namespace lazaret::backend::docker {
namespace {

// Its user waits meanwhile: what takes longer is left to the next one, and to lazaret gc.
constexpr std::chrono::seconds kSweepBound{10};

// What fails stays in the journal.
void clear_left(const engine::EngineClient& client, const Leases& leases, const Call& call) {
  (void)sweep_engine(client, leases, Act::remove, call);
  (void)sweep_directories(leases, Act::remove);
}

Result<std::unique_ptr<Backend>> backend_on(engine::Search& search,
                                            const DockerBackendOptions& options, const Call& call) {
  if (!search.client) return engine::no_engine(search);
  const auto leases =
      std::make_shared<const Leases>(options.state, search.client->endpoint(), options.instance);
  if (has_left_something(*leases)) clear_left(*search.client, *leases, call.within(kSweepBound));
  LAZARET_TRY(auto backend, DockerBackend::create(std::move(*search.client), leases));
  return std::unique_ptr<Backend>(std::move(backend));
}

}  // namespace

Connected connect(DockerBackendOptions options, const Call& call) {
  const auto candidates =
      engine::candidates(options.surroundings, options.search.wanted, options.host);
  engine::Search search = engine::connect_first(candidates, options.search, call);
  auto backend = backend_on(search, options, call);
  return {std::move(backend), std::move(search.endpoint), std::move(search.attempts)};
}

}  // namespace lazaret::backend::docker
