#pragma once

#include <string>
#include <string_view>

#include "lazaret/request.hpp"
#include "lazaret/result.hpp"

namespace lazaret::policy {

/// Where a program sees the packages that were asked for.
inline constexpr std::string_view kPackages = "/mnt/packages";

/// Whether it is HOST or HOST:PORT, as Config::package_hosts has them. Errors: invalid_argument.
[[nodiscard]] Status check_package_host(std::string_view text);

/// What the name of a package's file says.
struct PackageName {
  std::string name;
  std::string version;
};

/// For python of a wheel (PEP 427: NAME-VERSION[-BUILD]-PYTHON-ABI-PLATFORM.whl) or a source
/// archive (NAME-VERSION.tar.gz or .zip), for javascript of what `npm pack` makes
/// (NAME-VERSION.tgz), given by its path. Errors: invalid_argument, saying what it must be.
[[nodiscard]] Result<PackageName> package_named(std::string_view path, std::string_view language);

/// Whether it names a file: by its ending, or because it is a path. What does not is what an index
/// is asked for.
[[nodiscard]] bool is_package_file(std::string_view word, std::string_view language);

/// Whether it can be what an index is asked for, for whatever language, and no file of any.
[[nodiscard]] bool is_package_wish(std::string_view word);

/// Whether what an index is asked for can be one version of each alone ("NAME==VERSION" for python,
/// "NAME@VERSION" for javascript).
[[nodiscard]] bool is_exact(std::string_view wanted, std::string_view language);

/// Whether a request may have packages, and these. Errors: invalid_argument, too_large.
[[nodiscard]] Status check_packages(const ExecutionRequest& request,
                                    std::string_view language);

}  // namespace lazaret::policy
