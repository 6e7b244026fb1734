#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "backend/verdict.hpp"
#include "policy/spec.hpp"

namespace lazaret::backend::docker {

/// What its image sets for the programs of a container, of what an engine shows of the container,
/// which was made with none; without the engine's own.
[[nodiscard]] std::vector<std::string> variables_of_image(const nlohmann::json& seen);

/// What of them programs have beside what was asked for; nothing where that changes nothing.
[[nodiscard]] std::optional<Reading> read_variables(std::span<const std::string> of_image,
                                                    const policy::Spec& spec);

}  // namespace lazaret::backend::docker
