#pragma once

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "integration/support.hpp"

// Which languages a backend has: neither a machine nor an engine need have all.
namespace lazaret::test {

/// Whether it had no compiler or interpreter for the program.
[[nodiscard]] inline bool lacks_runtime(const Json& result) {
  const Json& cause = result["meta"]["cause"];
  return cause == "image_missing" ||
         (cause == "start_failed" && result["meta"].value("start_errno", 0) == 2);
}

/// What a program came to there, or nothing where that backend or its runtime is not to be had,
/// which fails where either is required.
[[nodiscard]] inline std::optional<Json> result_on(const std::string& backend,
                                                   const ExecutionRequest& request) {
  if (!options_for(backend)) {
    EXPECT_FALSE(is_required(backend)) << "no endpoint is given";
    return std::nullopt;
  }
  Json result = run_on(backend, request);
  if (!lacks_runtime(result)) return result;
  EXPECT_FALSE(is_required(request.language)) << backend << ": " << result["error"];
  return std::nullopt;
}

}  // namespace lazaret::test
