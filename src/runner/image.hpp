#pragma once

#include <string>

#include "base/bytes.hpp"

namespace lazaret::runner {

/// The runner's executable for Linux boxes of this architecture, carried inside this program.
[[nodiscard]] Bytes runner_image() noexcept;
/// SHA-256 of runner_image(), lower-case hex: the name of the runner's version.
[[nodiscard]] const std::string& runner_digest();

}  // namespace lazaret::runner
