#pragma once

#include <vector>

#include "backend/backend.hpp"
#include "policy/resolve.hpp"

namespace lazaret::core {

/// The runner's driver table as policy wants it, since neither room knows the other.
[[nodiscard]] const std::vector<policy::Language>& languages();
/// What a request for a box of this backend is resolved by.
[[nodiscard]] policy::Facts facts_for(const backend::Backend& backend);

}  // namespace lazaret::core
