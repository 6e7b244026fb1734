#pragma once

#include <stop_token>

#include "lazaret/execution_result.hpp"
#include "policy/spec.hpp"
#include "runner/client.hpp"

namespace lazaret::core {

/// What came of a compile step, and how it ended.
struct Compiled {
  Compilation part;
  /// Errors: those of runner::Client; timed_out for one beyond Limits::compile_timeout.
  Result<runner::Ending> ending;

  [[nodiscard]] bool was_started() const;
  [[nodiscard]] bool well() const;
};

/// Puts the program's files into the box and lets its compiler work on them. Nothing is ended here
/// that does not end in time: that is the caller's.
[[nodiscard]] Compiled compile_in(runner::Client& client, const policy::Spec& spec,
                                  const std::stop_token& stop);

}  // namespace lazaret::core
