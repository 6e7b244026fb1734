#pragma once

#include "lazaret/execution_result.hpp"

namespace lazaret::core {

/// A SyntaxError with the compiler's first complaint, which names the user's file and the line. For
/// one that a signal ended a RuntimeError that says so: nobody knows then what it thought.
[[nodiscard]] ResultError compile_error(const Compilation& compile);

}  // namespace lazaret::core
