#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "lazaret/limits.hpp"
#include "lazaret/result.hpp"
#include "policy/quantity.hpp"

namespace lazaret::policy {

/// One bound that a caller or a file may change. Amounts are in `unit`.
struct LimitRow {
  std::string_view key;     ///< below "limits." and "maxima."
  std::string_view member;  ///< in requests and results as JSON: "memory_bytes"
  Unit unit;
  double least;    ///< below it nothing can run, or zero would mean "unlimited" to somebody
  double ceiling;  ///< above it is a slip of the pen, whatever the maxima say
  std::optional<double> (*get)(const Limits& limits);
  void (*set)(Limits& limits, double amount);
  std::optional<double> (*asked)(const LimitOverrides& overrides);
  void (*ask)(LimitOverrides& overrides, double amount);
};

[[nodiscard]] const std::vector<LimitRow>& limit_rows();
/// The row with this key, which must be one.
[[nodiscard]] const LimitRow& limit_at(std::string_view key);

/// Errors: invalid_argument when the amount is not between `least` and `ceiling`.
[[nodiscard]] Status check_range(const LimitRow& row, double amount);

}  // namespace lazaret::policy
