#pragma once

#include <string>
#include <vector>

#include "lazaret/control.hpp"

namespace lazaret::cli {

/// One line a control: mark, name, what is in force, how that was read.
[[nodiscard]] std::string evidence_table(const std::vector<Evidence>& evidence);

}  // namespace lazaret::cli
