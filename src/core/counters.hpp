#pragma once

#include <optional>
#include <string>

#include "backend/backend.hpp"
#include "runner/message.hpp"

namespace lazaret::core {

/// What a box counted that was there before a program of its own: a step of the same run, or an
/// earlier run.
enum class Before { step, run };

/// Of the box's counters what came since. Its highest of all so far is nobody's who has not grown.
[[nodiscard]] backend::Autopsy since(backend::Autopsy seen, const backend::Autopsy& before,
                                     Before what);
/// What the runner saw a file system of the box to have no more of: "bytes" or "files".
[[nodiscard]] std::optional<std::string> disk_full_by(const runner::Exited& exited);
/// Where nobody counts from outside: the runner's own word.
void put_own_word(backend::Autopsy& seen, const runner::Exited& exited);

}  // namespace lazaret::core
