#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/package_box.hpp"
#include "lazaret/result.hpp"

namespace lazaret::core {

/// Whether it is none of a package, but says which goes where.
[[nodiscard]] bool is_lock(const std::filesystem::path& file);

/// The files of all that a wish asks for and of what that needs, below `into`. Who asks the index
/// runs in a box without a network, and Lazaret connects for it: to the index, and to what has a
/// public address and answers at the port of HTTPS. Errors: start_failed where it cannot be
/// fetched, saying why; invalid_argument of an index that is none; what else has become of the box.
[[nodiscard]] Result<std::vector<std::string>> fetch_packages(const PackageWish& wish,
                                                              const std::filesystem::path& into,
                                                              const Installer& install);

}  // namespace lazaret::core
