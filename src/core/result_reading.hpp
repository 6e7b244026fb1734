#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lazaret/execution_result.hpp"
#include "lazaret/result.hpp"

namespace lazaret::core {

/// The result that lazaret::to_json wrote, so that writing it again gives the same text. It takes
/// time and memory by the document's length, whatever a program has put into its value.
/// Errors: protocol for anything else.
[[nodiscard]] Result<ExecutionResult> result_of(std::string_view document);

/// The files that a session gives, as {"files": […], "warnings": […]}. Errors: protocol for
/// anything else.
struct GivenFiles {
  std::vector<Artifact> artifacts;
  std::vector<std::string> warnings;
};
[[nodiscard]] Result<GivenFiles> files_of(std::string_view document);

}  // namespace lazaret::core
