#pragma once

#include <string>

#include "lazaret/execution_result.hpp"

namespace lazaret::core {

/// What a compiler has said, the same each time: gcc calls what it hands to the linker by another
/// name each time (/tmp/ccBJzSHg.o), which becomes main.o.
[[nodiscard]] std::string with_settled_names(std::string text);

/// A SyntaxError with the compiler's first complaint, which names the user's file and the line, or
/// with the linker's, which knows no line. For one that a signal ended a RuntimeError that says so:
/// nobody knows then what it thought.
[[nodiscard]] ResultError compile_error(const Compilation& compile);

}  // namespace lazaret::core
