#pragma once

#include "base/bytes.hpp"

namespace lazaret::backend::native {

/// The spawner's executable, carried inside this program.
[[nodiscard]] Bytes spawner_image() noexcept;

}  // namespace lazaret::backend::native
