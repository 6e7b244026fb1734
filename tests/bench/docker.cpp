#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "bench/measure.hpp"
#include "engine/attach.hpp"
#include "engine/client.hpp"
#include "engine/container.hpp"
#include "engine/discovery.hpp"
#include "engine/wait.hpp"
#include "lazaret/lazaret.hpp"

// A cold run against the bare calls that any run has to make: what is over is ours.
namespace lazaret::bench {
namespace {

constexpr int kRounds = 31;
constexpr const char* kImage = "lazaret/bash:latest";

template <typename T>
T must(Result<T> result, const char* doing) {
  if (result.ok()) return std::move(result).value();
  std::fprintf(stderr, "lazaret_bench: %s: %s\n", doing, result.error().message().c_str());
  std::exit(1);
}

void must(const Status& status, const char* doing) {
  if (status.ok()) return;
  std::fprintf(stderr, "lazaret_bench: %s: %s\n", doing, status.error().message().c_str());
  std::exit(1);
}

// Create, attach, start, wait, remove: nothing is hardened and nothing is verified.
void bare_calls(const engine::EngineClient& client) {
  namespace container = engine::container;
  const Call call = Call{}.within(std::chrono::seconds(60));
  const nlohmann::json body = {{"Image", kImage},
                               {"Cmd", {"true"}},
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

}  // namespace

std::vector<Figure> docker_figures(const std::string& endpoint) {
  if (endpoint.empty()) return {{"Docker, cold", "ms", {}, "LAZARET_TEST_DOCKER is not set"}};
  const Call call = Call{}.within(std::chrono::seconds(20));
  const auto client = must(
      engine::EngineClient::negotiate(must(engine::default_dialer(endpoint), "endpoint"), {}, call),
      "negotiation");
  SandboxOptions options;
  options.type = "docker";
  options.host = endpoint;
  options.fallback = false;
  const CodeSandbox sandbox = must(SandboxFactory::with(options), "sandbox");
  ExecutionRequest request;
  request.command = {"true"};
  request.image = kImage;
  const auto ours = [&sandbox, &request] {
    const ExecutionResult result = sandbox.execute(request);
    if (result.success()) return;
    std::fprintf(stderr, "lazaret_bench: docker run: %s\n", to_json(result).c_str());
    std::exit(1);
  };
  const auto times = medians_in_turns(kRounds, {ours, [&client] { bare_calls(client); }});
  return {{"Docker, cold: true in a verified box", "ms", times[0]},
          {"Docker, cold: bare engine calls", "ms", times[1]},
          {"Docker, cold: what we add", "ms", times[0] - times[1]}};
}

}  // namespace lazaret::bench
