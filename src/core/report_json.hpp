#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "backend/images/list.hpp"
#include "core/doctor.hpp"
#include "lazaret/execution_result.hpp"

/// What doors show as JSON beside results. `indent` < 0 gives one line.
namespace lazaret::core {

/// {"chosen", "ready", "backends": […]}, as `lazaret doctor --json` prints it.
[[nodiscard]] std::string to_json(const Diagnosis& diagnosis, int indent = -1);
/// A list, as `lazaret images ls --json` prints it.
[[nodiscard]] std::string to_json(const std::vector<backend::images::Listed>& images,
                                  int indent = -1);

/// What an agent keeps of a run in its memory, as `lazaret run --summary` prints it: {"role":
/// "tool", …}, one line, of each text at most 1 KiB, head and tail. docs/result.md has its members.
[[nodiscard]] std::string summary_of(const ExecutionResult& result);

/// The parts of a result that other answers have too.
[[nodiscard]] nlohmann::ordered_json json_of(const std::vector<Evidence>& evidence);
[[nodiscard]] nlohmann::ordered_json json_of(const std::vector<Artifact>& artifacts);

}  // namespace lazaret::core
