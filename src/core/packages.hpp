#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "core/package_box.hpp"
#include "core/package_store.hpp"
#include "lazaret/execution_result.hpp"
#include "lazaret/result.hpp"

/// What a program imports beside its language's own: installed once, in a box, and kept.
namespace lazaret::core {

/// A directory of this machine's that holds the packages of a request, and what they came from.
struct PackageLayer {
  std::filesystem::path directory;
  std::vector<Package> packages;
};

/// Where packages are kept and asked for, by whom this process runs for.
struct PackagePlaces {
  PackageStore store;
  PackageIndex python;
  PackageIndex javascript;
};

/// Whether the files among a request's packages are there. Errors: those of look_for(),
/// invalid_argument for what is no file.
[[nodiscard]] Status look_for_packages(const ExecutionRequest& request, std::string_view language);

/// The layer of a request's packages in `store`, where it is named by the content of their files
/// and by the interpreter; the installer is asked where there is none yet. What an index gave for
/// the same words is used again: for ever where all of them are exact, for a day otherwise. Errors:
/// not_found and others of a file that cannot be read, too_large; backend_unavailable and system of
/// a store that cannot be used; start_failed where they cannot be fetched or installed, and what
/// else has become of the box that does it; cancelled.
[[nodiscard]] Result<PackageLayer> layer_of(const PackageWish& wish,
                                            const PackageStore& store,
                                            const Installer& install);

}  // namespace lazaret::core
