#pragma once

#include <nlohmann/json.hpp>

namespace lazaret::bench {

/// When, on what and against which versions a run of the bench was made.
[[nodiscard]] nlohmann::ordered_json machine();

}  // namespace lazaret::bench
