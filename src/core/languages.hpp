#pragma once

#include <vector>

#include "policy/resolve.hpp"

namespace lazaret::core {

/// The runner's driver table as policy wants it, since neither room knows the other.
[[nodiscard]] const std::vector<policy::Language>& languages();

}  // namespace lazaret::core
