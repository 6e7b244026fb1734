#pragma once

#include <string>
#include <vector>

#include "backend/sweep.hpp"

/// What dead processes have left, for people and programs.
namespace lazaret::core {

/// backend::sweep, and what was being made of packages by who was killed.
[[nodiscard]] std::vector<backend::Finding> sweep(const backend::Surroundings& here,
                                                  const backend::SweepOptions& options,
                                                  const Call& call);

/// One line, without its hint: "removed container NAME on ENDPOINT, left by process 4711".
[[nodiscard]] std::string sentence_of(const backend::Finding& finding);
/// Whether all that is ours to remove is gone, or would be.
[[nodiscard]] bool is_clean(const std::vector<backend::Finding>& findings);
/// {"clean", "findings": […]}, as `lazaret gc --json` prints it.
[[nodiscard]] std::string to_json(const std::vector<backend::Finding>& findings, int indent = -1);

}  // namespace lazaret::core
