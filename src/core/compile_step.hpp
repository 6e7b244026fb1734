#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "lazaret/execution_result.hpp"
#include "policy/spec.hpp"
#include "runner/client.hpp"

namespace lazaret::core {

/// A compiler that was given up and ended, in a box that is kept.
struct StoppedCompiler {
  runner::Ending ending;
  std::string path;  ///< of Kill: "term" or "kill"
  std::chrono::milliseconds latency{0};
};

/// What came of a compile step, and how it ended.
struct Compiled {
  Compilation part;
  /// Errors: those of runner::Client; timed_out for one beyond Limits::compile_timeout.
  Result<runner::Ending> ending;
  std::optional<StoppedCompiler> stopped = {};

  [[nodiscard]] bool was_started() const;
  [[nodiscard]] bool well() const;
};

/// Puts the program's files into the box and lets its compiler work on them. What does not end in
/// time is ended by the runner where the box is kept, else, and what the runner cannot end, is the
/// caller's to end. `of_image`: variables of the box's image.
[[nodiscard]] Compiled compile_in(runner::Client& client, const policy::Spec& spec,
                                  std::span<const std::string> of_image,
                                  const std::stop_token& stop);

}  // namespace lazaret::core
