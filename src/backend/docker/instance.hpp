#pragma once

#include <map>
#include <string>

#include "journal/owner.hpp"

namespace lazaret::backend::docker {

/// Who makes the containers. Its labels alone are enough to judge whether they are left behind.
using Instance = journal::Owner;
using journal::this_process;

inline constexpr const char* kOwnerLabel = "dev.lazaret.owner";
inline constexpr const char* kOwner = "lazaret";
/// Of volumes that stay: of the runner's, and of those with packages, by the name of their layer.
inline constexpr const char* kRunnerLabel = "dev.lazaret.runner";
inline constexpr const char* kPackagesLabel = "dev.lazaret.packages";
inline constexpr const char* kInstanceLabel = "dev.lazaret.instance";

/// Labels of a container or volume that lives as long as one run.
[[nodiscard]] std::map<std::string, std::string> labels_of(const Instance& instance,
                                                           const std::string& run);
/// The other way round: what is missing or no number is empty or 0.
[[nodiscard]] Instance instance_in(const std::map<std::string, std::string>& labels);

}  // namespace lazaret::backend::docker
