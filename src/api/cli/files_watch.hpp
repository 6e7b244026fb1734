#pragma once

#include <string>

#include "api/cli/command.hpp"

namespace lazaret::cli {

/// Prints what changes in a session's files, a line each, until it is interrupted or the session
/// ends. `target` is what is asked of the daemon.
[[nodiscard]] int watch_files(const Common& common, const std::string& target);

}  // namespace lazaret::cli
