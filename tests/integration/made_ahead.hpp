#pragma once

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "integration/support.hpp"

namespace lazaret::test {

/// The first run that finds its box made.
[[nodiscard]] inline ExecutionResult run_ahead(const CodeSandbox& sandbox,
                                               const ExecutionRequest& request) {
  ExecutionResult result;
  const bool found = becomes_true(std::chrono::seconds(60), [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    result = sandbox.execute(request);
    return result.meta.made_ahead;
  });
  EXPECT_TRUE(found) << to_json(result);
  return result;
}

}  // namespace lazaret::test
