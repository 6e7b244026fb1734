#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lazaret/execution_result.hpp"
#include "lazaret/result.hpp"

namespace lazaret::cli {

/// How often each media type was shown: "2 image/png, 1 text/html".
[[nodiscard]] std::string counts_of(const std::vector<RichResult>& rich);
/// Writes each form of what a cell has shown as a new file, CONTEXT-CELL-NUMBER.png and the like,
/// into a directory that is made where it is not there. Errors: those of the system.
[[nodiscard]] Status write_rich(const ExecutionResult& result,
                                const std::filesystem::path& directory);

}  // namespace lazaret::cli
