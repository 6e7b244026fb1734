#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "lazaret/result.hpp"

namespace lazaret::policy {

/// What every box has: PATH, HOME, LANG, TZ, TMPDIR, and the thread counts that keep programs from
/// starting one thread for each of the host's processors (P-53).
[[nodiscard]] std::map<std::string, std::string> base_environment(double cpus);

/// What a deterministic run has, whatever else is configured: UTC, C.UTF-8, python's hash seed.
/// Takes away what would decide beside them: LANGUAGE, LC_*, and PYTHON*, which python obeys then.
void fix_environment(std::map<std::string, std::string>& variables);
/// What an image sets for its programs ("NAME=value"), beneath what a run has: the run's values
/// stay, and what no environment may hold is left out, as is what a deterministic run would have
/// fixed, and what is more than 128 KiB. Of the image's search path the places that the run's lacks
/// come first, where nobody has chosen that.
void add_of_image(std::map<std::string, std::string>& variables,
                  std::span<const std::string> of_image, bool is_deterministic);
/// How programs hear of the way out that leads to kWayOutPort: by the variables that curl, git,
/// pip, npm, go and their like read, in both cases.
[[nodiscard]] std::map<std::string, std::string> way_out_environment();
/// Whether a deterministic run has its own value for the name, or none.
[[nodiscard]] bool is_fixed_variable(std::string_view name);

/// A name that an environment may hold: letters, digits and underscores, and not one that changes
/// how programs are loaded or that is known for carrying a secret.
/// Errors: invalid_argument for what is not a name, permission_denied for a denied one.
[[nodiscard]] Status check_variable(std::string_view name);

}  // namespace lazaret::policy
