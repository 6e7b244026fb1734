#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "backend/choose.hpp"
#include "backend/images/build.hpp"
#include "backend/images/list.hpp"

/// The images that Lazaret brings along, on the engine of these surroundings.
namespace lazaret::core {

struct ImageRequest {
  std::vector<std::string> names;  ///< "python", "bash", "c"; "all" for every one
  std::string from = "auto";       ///< auto, registry or packages
  std::string base;                ///< instead of the Dockerfile's
  std::filesystem::path cache;     ///< keeps file systems made from packages
  bool with_tests = false;         ///< what only our own tests need as well
  std::function<void(const std::string& line)> progress;
};

/// Builds each in turn; the first failure ends it. Errors: invalid_argument for unknown names,
/// those of find_engine and of images::build.
[[nodiscard]] Result<std::vector<backend::images::Built>> build_images(
    const backend::Surroundings& here, const ImageRequest& request, const Call& call);
[[nodiscard]] Result<std::vector<backend::images::Listed>> list_images(
    const backend::Surroundings& here, const Call& call);

}  // namespace lazaret::core
