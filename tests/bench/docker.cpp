#include "bench/bare_calls.hpp"
#include "bench/groups.hpp"
#include "bench/sandboxes.hpp"

// A cold run against the bare calls that any run has to make: what is over is ours.
namespace lazaret::bench {

Group docker_group(int rounds) {
  constexpr const char* kImage = "lazaret/bash:latest";
  Group group{.title = "Docker, cold: true"};
  const Engine engine = docker_engine();
  group.missing = engine.missing();
  if (!group.missing.empty()) return group;
  const auto client = client_of(engine);
  const CodeSandbox sandbox = sandbox_on(engine, Ahead::nothing);
  ExecutionRequest request = command({"true"});
  request.image = kImage;
  group.timings = in_turns(
      rounds,
      {{"a verified box", Who::ours, [&] { must_succeed(sandbox, request); }},
       {"the bare engine calls", Who::engine, [&] { bare_calls(client, kImage, {"true"}); }}});
  group.add_difference("a verified box", "the bare engine calls", at_most(15));
  return group;
}

}  // namespace lazaret::bench
