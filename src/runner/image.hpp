#pragma once

#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace lazaret::runner {

/// What the runner is made for, and so the machines of its boxes: as an engine spells it.
#ifdef __aarch64__
inline constexpr std::string_view kArchitecture = "arm64";
#else
inline constexpr std::string_view kArchitecture = "amd64";
#endif
/// The runner's executable for Linux boxes of this architecture, carried inside this program.
[[nodiscard]] Bytes runner_image() noexcept;
/// SHA-256 of runner_image(), lower-case hex: the name of the runner's version.
[[nodiscard]] const std::string& runner_digest();

}  // namespace lazaret::runner
