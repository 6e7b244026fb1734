#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lazaret/result.hpp"
#include "lazaret/sandbox.hpp"
#include "policy/config.hpp"

namespace lazaret::core {

/// Where to look. `working` and `home` are absolute; an empty `home` means there is none.
struct ConfigPlaces {
  std::filesystem::path working;
  std::filesystem::path home;
  std::filesystem::path user_base;  ///< $XDG_CONFIG_HOME; empty: home/.config
  std::filesystem::path system = "/etc/lazaret/config.yaml";
};

struct ConfigText {
  policy::Origin origin;
  std::string name;
  std::string text;
};

/// .lazaret.yaml in `working` or the nearest parent, up to the directory that holds .git or to
/// `home`; where there is neither above, only in `working`.
[[nodiscard]] std::optional<std::filesystem::path> project_file(const ConfigPlaces& places);

/// The files that exist, read whole. Errors: permission_denied for a user or system file that
/// somebody but its owner may write; too_large beyond 1 MiB; system when one cannot be read.
[[nodiscard]] Result<std::vector<ConfigText>> read_config_files(const ConfigPlaces& places);

/// Finds, reads, parses and merges. `options.config_file` replaces the search and counts as the
/// user's file. Errors: as read_config_files, parse_yaml and policy::merge; not_found for it.
[[nodiscard]] Result<policy::Config> load_config(const SandboxOptions& options,
                                                 const policy::EnvironmentLookup& environment,
                                                 const ConfigPlaces& places);

}  // namespace lazaret::core
