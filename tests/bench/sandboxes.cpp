#include "bench/sandboxes.hpp"

#include <cstdlib>

namespace lazaret::bench {

CodeSandbox sandbox_on(const Engine& engine, Ahead ahead) {
  SandboxOptions options;
  options.type = engine.type;
  if (!engine.endpoint.empty()) options.host = engine.endpoint;
  options.fallback = false;
  if (ahead == Ahead::nothing) ::setenv("LAZARET_POOL_MOST", "0", 1);
  auto sandbox = SandboxFactory::with(options);
  ::unsetenv("LAZARET_POOL_MOST");
  return must(std::move(sandbox), engine.type);
}

void must_succeed(const CodeSandbox& sandbox, const ExecutionRequest& request) {
  const ExecutionResult result = sandbox.execute(request);
  if (!result.success()) throw Failure("a run has failed: " + to_json(result));
}

ExecutionRequest command(std::vector<std::string> argv) {
  ExecutionRequest request;
  request.command = std::move(argv);
  return request;
}

ExecutionRequest python(std::string code) {
  ExecutionRequest request;
  request.code = std::move(code);
  return request;
}

}  // namespace lazaret::bench
