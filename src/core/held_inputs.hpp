#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lazaret/request.hpp"

namespace lazaret::core {

/// The same inputs with what their sources hold in place of their paths, directories as archives;
/// nothing where one cannot be put, or read, as it stands, or they hold more than so many bytes
/// together, what archives say of each of their members among it.
[[nodiscard]] std::optional<std::vector<Input>> held_by(std::vector<Input> inputs,
                                                        std::uint64_t most);

}  // namespace lazaret::core
