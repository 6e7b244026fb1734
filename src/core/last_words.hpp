#pragma once

#include <optional>
#include <string_view>

#include "lazaret/execution_result.hpp"
#include "runner/message.hpp"

namespace lazaret::core {

/// The error that ended a program, by what its language's runtime writes to standard error when it
/// gives up: a panic of go or rust, an exception of java or c++ that nobody caught, a complaint of
/// a shell, a full heap of node. Like all that a program writes it is its own claim, so it counts
/// only of one that has ended as that runtime ends what it has given up. Nothing where the runtime
/// is not known to have said why.
[[nodiscard]] std::optional<ResultError> last_words_of(std::string_view language,
                                                       const runner::Exited& exited,
                                                       std::string_view stderr_text);

}  // namespace lazaret::core
