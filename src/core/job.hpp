#pragma once

#include <span>
#include <string>

#include "policy/spec.hpp"
#include "runner/message.hpp"

namespace lazaret::core {

/// What a box's runner is told of a spec: the program, and its word for an interpreter that may be
/// waiting for it. Where one does, which was told the rest before, without what is thousands of
/// bytes of command and environment. `of_image`: variables of the box's image.
[[nodiscard]] runner::Job job_of(const policy::Spec& spec, bool has_interpreter = false,
                                 std::span<const std::string> of_image = {});

/// What it is told before that, where there is a compiler: with the files, which the job then
/// lacks.
[[nodiscard]] runner::Job compiler_of(const policy::Spec& spec,
                                      std::span<const std::string> of_image = {});

/// What it is told ahead of that. `spec.program.ahead` must be there.
[[nodiscard]] runner::Job interpreter_of(const policy::Spec& spec,
                                         std::span<const std::string> of_image = {});

}  // namespace lazaret::core
