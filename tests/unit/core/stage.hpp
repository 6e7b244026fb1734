#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/orchestrator.hpp"
#include "unit/core/fake_backend.hpp"

namespace lazaret::core::test {

[[nodiscard]] inline policy::Spec spec_of(
    std::chrono::milliseconds timeout = std::chrono::milliseconds(20'000)) {
  policy::Spec spec;
  spec.language = "python";
  spec.program.argv = {"python3", "/work/main.py"};
  spec.program.files = {{"/work/main.py", "print(1)"}};
  spec.environment = {{"LANG", "C.UTF-8"}, {"PATH", "/bin"}};
  spec.limits.timeout = timeout;
  spec.limits.grace = std::chrono::milliseconds(5'000);
  return spec;
}

/// A backend with one script, and the run of a request in it.
struct Stage {
  std::shared_ptr<Script> script = std::make_shared<Script>();  // shared with the boxes
  FakeBackend backend{script};
  ExecutionRequest request;

  explicit Stage(FakeWire::Runner runner) { script->runner = std::move(runner); }
  ExecutionResult run(const policy::Spec& spec = spec_of()) {
    return core::run(backend, request, spec).result;
  }
  [[nodiscard]] std::vector<std::uint32_t> signals() const {
    std::vector<std::uint32_t> numbers;
    const std::vector<Heard> heard = script->heard();
    for (const Heard& frame : heard) {
      if (frame.type == FrameType::signal)
        numbers.push_back(runner::decode_number(bytes_of(frame.payload)).value());
    }
    return numbers;
  }
};

}  // namespace lazaret::core::test
