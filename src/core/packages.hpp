#pragma once

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "lazaret/execution_result.hpp"
#include "lazaret/request.hpp"
#include "lazaret/result.hpp"
#include "policy/config.hpp"

/// What a program imports beside its language's own: installed once, in a box, and kept.
namespace lazaret::core {

/// A directory of this machine's that holds the packages of a request, and what they came from.
struct PackageLayer {
  std::filesystem::path directory;
  std::vector<Package> packages;
};

/// Runs the program that installs them, as any other.
using Installer = std::function<ExecutionResult(const ExecutionRequest& request)>;

/// Whose packages they are. Borrows.
struct PackageWish {
  const ExecutionRequest& request;
  std::string_view language;  ///< of the driver: "python" or "javascript"
  const Limits& maxima;
};

/// The layer of a request's packages in `store`, where it is named by the content of their files
/// and by the interpreter; the installer is asked where there is none yet. Errors: not_found and
/// others of a file that cannot be read, too_large; backend_unavailable and system of a store that
/// cannot be used; start_failed where they cannot be installed, and what else has become of the box
/// that installs; cancelled.
[[nodiscard]] Result<PackageLayer> layer_of(const PackageWish& wish,
                                            const std::filesystem::path& store,
                                            const Installer& install);

}  // namespace lazaret::core
