#pragma once

#include <optional>

#include "core/cause.hpp"
#include "lazaret/execution_result.hpp"
#include "policy/spec.hpp"

namespace lazaret::core {

/// What a program has said of its own end, with what may be done about it where that is known.
[[nodiscard]] ResultError with_hint(ResultError said, const policy::Spec& spec);

inline constexpr const char* kHasNotRun = "the program has not run: it does no harm to try again";

/// Why this command of a program, its own or its compiler's, could not be started in the box, and
/// what to install.
[[nodiscard]] ResultError start_error(const std::vector<std::string>& argv,
                                      const policy::Program& program, const runner::Failed& failed);

/// Why one of the caller's files could not be put into the box: too_large where there was no room,
/// conflict for everything else.
[[nodiscard]] Error place_error(const runner::Placed& placed, const Limits& limits);
/// The same, or why one could not be read on this machine, as a result says it.
[[nodiscard]] ResultError input_error(const Error& error);

/// The error that follows from the result's cause, whatever the program says of itself; nothing for
/// a program that ended by itself, and for what is our trouble.
[[nodiscard]] std::optional<ResultError> error_of_cause(const ExecutionResult& result,
                                                        const Death& death,
                                                        const policy::Spec& spec);

}  // namespace lazaret::core
