#pragma once

#include <string>
#include <string_view>

namespace lazaret::backend::native {

/// What of this host may explain that it does not let boxes be made.
struct HostTraits {
  bool in_container = false;        ///< of Docker or Podman
  bool apparmor_restricts = false;  ///< user namespaces come without capabilities (P-47)
  bool debian_forbids = false;      ///< kernel.unprivileged_userns_clone is 0
  std::string exhausted = {};         ///< the number of namespaces that is 0 (namespaces(7))
  std::string apparmor_profile = {};  ///< where the file is that lets this program have them
};
[[nodiscard]] HostTraits traits_of_host();

/// The command or step that lets a box be made, after `step` of making one has failed with errno
/// `code`; empty where nothing is known.
[[nodiscard]] std::string way_out(std::string_view step, int code, const HostTraits& traits);

}  // namespace lazaret::backend::native
