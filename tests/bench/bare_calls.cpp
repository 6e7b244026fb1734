#include "bench/bare_calls.hpp"

#include <nlohmann/json.hpp>

#include "bench/measure.hpp"
#include "engine/attach.hpp"
#include "engine/container.hpp"
#include "engine/wait.hpp"

namespace lazaret::bench {

void bare_calls(const engine::EngineClient& client, const std::string& image,
                const std::vector<std::string>& argv) {
  namespace container = engine::container;
  const Call call = Call{}.within(std::chrono::seconds(60));
  const nlohmann::json body = {{"Image", image},
                               {"Cmd", argv},
                               {"NetworkDisabled", true},
                               {"HostConfig", {{"NetworkMode", "none"}}}};
  const auto created = must(container::create(client, "", body, call), "create");
  const auto stream = must(engine::attach(client, created.id, {}, call), "attach");
  auto wait =
      must(container::Wait::open(client, created.id, container::Until::next_exit, call), "wait");
  must(container::start(client, created.id, call), "start");
  (void)must(wait.finish(call), "wait");
  must(container::remove(client, created.id, container::Volumes::remove, call), "remove");
}

}  // namespace lazaret::bench
