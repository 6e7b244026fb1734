#pragma once

#include <string>
#include <string_view>

#include "lazaret/result.hpp"

/// Amounts as people write them. All are doubles: every one that is allowed is far below 2^53.
namespace lazaret::policy {

enum class Unit { milliseconds, seconds, bytes, count, processors };

/// "1.5", "500ms", "30s", "5m", "1h" (a bare number is seconds) for the two units of time;
/// "1024", "64KiB", "512MiB", "1GiB", "512m" for bytes; plain numbers for the others. The amount
/// comes back in `unit`. Errors: invalid_argument.
[[nodiscard]] Result<double> parse_quantity(std::string_view text, Unit unit);

/// A positive number of seconds in plain decimal, "30" or "0.5" (P-14). Errors: invalid_argument.
[[nodiscard]] Result<double> parse_plain_seconds(std::string_view text);

/// "30s", "1500ms", "512MiB", "64"; parse_quantity gives the same amount back.
[[nodiscard]] std::string show_quantity(double amount, Unit unit);

/// Foreign text for a message: in quotes, printable, short.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace lazaret::policy
