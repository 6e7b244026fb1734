#pragma once

#include "bench/peers.hpp"
#include "lazaret/lazaret.hpp"

namespace lazaret::bench {

enum class Ahead { as_configured, nothing };
/// A new sandbox on a backend, with the usual pool or with none.
[[nodiscard]] CodeSandbox sandbox_on(const Engine& engine, Ahead ahead = Ahead::as_configured);
/// Ends the bench when the run is no success.
void must_succeed(const CodeSandbox& sandbox, const ExecutionRequest& request);

[[nodiscard]] ExecutionRequest command(std::vector<std::string> argv);
[[nodiscard]] ExecutionRequest python(std::string code);

}  // namespace lazaret::bench
