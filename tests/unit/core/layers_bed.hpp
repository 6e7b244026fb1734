#pragma once

#include "core/packages.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/base/scratch.hpp"

namespace lazaret::core {

namespace fs = std::filesystem;

/// A store of layers, and a request with files of packages.
class Layers : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& content) {
    request_.packages.push_back(folder_.write(name, content).string());
    return request_.packages.back();
  }
  Result<PackageLayer> layer(const Installer& install) {
    return layer_of({request_, request_.language, limits_, index_, hosts_, interpreter_},
                    {store_, state_}, install);
  }
  // As the installer's box would leave it, and as if `more` bytes had not come.
  Installer leaving(const std::string& text, std::size_t more = 0) {
    return [this, text, more](const ExecutionRequest& wanted, policy::Streams) {
      ++installed_;
      const fs::path into = fs::path(*wanted.output_directory) / "packages";
      fs::create_directories(into);
      std::ofstream(into / "a.py") << text;
      std::ofstream(into.parent_path() / "whole") << "1 files, 1 bytes\n";  // in vain
      std::ofstream(into.parent_path() / "more");
      ExecutionResult result;
      result.exit_code = 0;
      result.artifacts = {{"packages", Artifact::Kind::directory, 0, "", {}},
                          {"packages/a.py", Artifact::Kind::file, text.size(), "", {}}};
      result.value = R"({"files":1,"bytes":)" + std::to_string(text.size() + more) + "}";
      return result;
    };
  }
  [[nodiscard]] std::vector<std::string> kept() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(store_))
      names.push_back(entry.path().filename().string());
    return names;
  }

  const lazaret::test::Scratch folder_;
  const fs::path store_ = folder_.path() / "store";
  const fs::path state_ = folder_.path() / "state";
  Limits limits_;
  ExecutionRequest request_;
  std::set<std::string> hosts_ = {"public"};
  PackageIndex index_{"", "PIP_INDEX_URL", {}};
  std::string interpreter_ = "an image";
  int installed_ = 0;
};

}  // namespace lazaret::core
