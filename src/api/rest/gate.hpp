#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "api/rest/hall.hpp"
#include "lazaret/result.hpp"
#include "os/handle.hpp"

namespace lazaret::rest {

/// Whoever owns this process, and root, may come in through a Unix socket. Others need the bearer
/// token (RFC 6750); without one nobody comes in.
[[nodiscard]] Gate gate_for(os::RawHandle stream, const std::optional<std::string>& token);

/// The token in a file that is this user's and nobody else's to read, without blanks at its end; or
/// $LAZARET_TOKEN; nothing when neither is given. Errors: those of os::read_secret;
/// invalid_argument for less than 16 or more than 4096 letters.
[[nodiscard]] Result<std::optional<std::string>> find_token(
    const std::optional<std::filesystem::path>& file);

}  // namespace lazaret::rest
