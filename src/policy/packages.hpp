#pragma once

#include <string>
#include <string_view>

#include "lazaret/request.hpp"
#include "lazaret/result.hpp"

namespace lazaret::policy {

/// Where a program sees the packages that were asked for.
inline constexpr std::string_view kPackages = "/mnt/packages";

/// What the name of a package's file says.
struct PackageName {
  std::string name;
  std::string version;
};

/// For python of a wheel (PEP 427: NAME-VERSION[-BUILD]-PYTHON-ABI-PLATFORM.whl) or a source
/// archive (NAME-VERSION.tar.gz or .zip), for javascript of what `npm pack` makes
/// (NAME-VERSION.tgz), given by its path. Errors: invalid_argument, saying what it must be.
[[nodiscard]] Result<PackageName> package_named(std::string_view path, std::string_view language);

/// Whether a request may have packages, and these. Errors: invalid_argument, too_large.
[[nodiscard]] Status check_packages(const ExecutionRequest& request, std::string_view language,
                                    bool keeps_box);

}  // namespace lazaret::policy
