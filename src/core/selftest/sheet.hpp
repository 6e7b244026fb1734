#pragma once

#include <string_view>
#include <vector>

#include "core/selftest/probe.hpp"
#include "lazaret/result.hpp"

namespace lazaret::core::selftest {

/// The probes of one file of src/core/probes/. A line `#: ID ROW TITLE` begins one, further lines
/// that begin with `#:` say more (docs/selftest.md), everything else is its code. A probe with
/// `expect` is a program. Errors: invalid_argument, naming the line.
[[nodiscard]] Result<std::vector<Probe>> parse_sheet(std::string_view text);

}  // namespace lazaret::core::selftest
