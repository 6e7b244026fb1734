#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/selftest/probe.hpp"
#include "lazaret/result.hpp"

namespace lazaret::core::selftest {

struct Section {
  char letter;
  std::string_view title;
};
/// In the order of the table.
[[nodiscard]] const std::vector<Section>& sections();

/// Every probe that is built in, by section. Errors: those of parse_sheet, which tests rule out.
[[nodiscard]] Result<std::vector<Probe>> all_probes();

/// Those whose id is one of the names or begins with one and a hyphen ("A", "A-07").
/// Errors: not_found for a name that means no probe.
[[nodiscard]] Result<std::vector<Probe>> chosen_probes(const std::vector<std::string>& names);

}  // namespace lazaret::core::selftest
