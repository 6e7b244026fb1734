#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace lazaret::backend::docker {

/// Who makes the containers: this process, told apart from every other one that ever ran, so that
/// what a dead one has left behind can be found and removed (P-45).
struct Instance {
  std::string id;  ///< random, sixteen hex digits
  std::uint32_t pid = 0;
  std::string started;  ///< clock ticks since boot, as /proc/PID/stat has them; "0" when unknown
  std::string boot;     ///< hash of the machine's boot id; "unknown" where there is none
};

/// Of the calling process. Draws a new random id at each call.
[[nodiscard]] Instance this_process();

inline constexpr const char* kOwnerLabel = "dev.lazaret.owner";
inline constexpr const char* kOwner = "lazaret";

/// Labels of a container or volume that lives as long as one run.
[[nodiscard]] std::map<std::string, std::string> labels_of(const Instance& instance,
                                                           const std::string& run);

}  // namespace lazaret::backend::docker
