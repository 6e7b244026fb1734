#pragma once

#include <string>
#include <string_view>

#include "backend/seccomp/profile.hpp"

namespace lazaret::backend::docker {

/// The profile in Docker's JSON, on one line, for this architecture alone: calls of any
/// other ABI end the process.
/// `architecture` as the engine spells it: "amd64", "x86_64", "arm64", "aarch64".
[[nodiscard]] std::string seccomp_json(const seccomp::Profile& profile,
                                       std::string_view architecture);

}  // namespace lazaret::backend::docker
