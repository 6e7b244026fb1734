#pragma once

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>

#include "integration/support.hpp"

/// What a caller puts into a box, and what he gets out of it.
namespace lazaret::test {

namespace fs = std::filesystem;

[[nodiscard]] inline std::vector<std::string> artifact_paths(const ExecutionResult& result) {
  std::vector<std::string> paths;
  for (const Artifact& artifact : result.artifacts) paths.push_back(artifact.path);
  return paths;
}

[[nodiscard]] inline const Artifact* artifact_named(const ExecutionResult& result,
                                                    const std::string& path) {
  for (const Artifact& artifact : result.artifacts) {
    if (artifact.path == path) return &artifact;
  }
  return nullptr;
}

class FilesOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
  }
  static ExecutionResult run(const ExecutionRequest& request) {
    return sandbox_on(GetParam()).execute(request);
  }
  [[nodiscard]] fs::path out() const { return fs::path(folder_.path()) / "taken"; }
  [[nodiscard]] ExecutionRequest giving(std::string code) const {
    ExecutionRequest request = python(std::move(code));
    request.output_directory = out();
    return request;
  }

  static std::error_code& ignored() {
    static std::error_code error;
    return error;
  }

  Folder folder_;
};

}  // namespace lazaret::test
