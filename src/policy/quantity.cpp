#include "policy/quantity.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace lazaret::policy {
namespace {

using namespace std::string_view_literals;
using Suffix = std::pair<std::string_view, double>;

constexpr std::array kTimes = {Suffix{"", 1000}, Suffix{"ms", 1}, Suffix{"s", 1000},
                               Suffix{"m", 60'000}, Suffix{"h", 3'600'000}};
constexpr std::array kSizes = {Suffix{"", 1},
                               Suffix{"B", 1},
                               Suffix{"KiB", 1 << 10},
                               Suffix{"MiB", 1 << 20},
                               Suffix{"GiB", 1 << 30},
                               Suffix{"k", 1 << 10},
                               Suffix{"m", 1 << 20},
                               Suffix{"g", 1 << 30}};
constexpr std::array kPlain = {Suffix{"", 1}};

/// Digits with at most one point between them; from_chars alone would take "inf" and "-1".
std::optional<double> decimal(std::string_view text) {
  if (text.empty() || text.size() > 30 || text.front() == '.' || text.back() == '.') return {};
  if (text.find_first_not_of("0123456789.") != text.npos) return {};
  double value = 0;
  const auto [end, failure] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (failure != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

template <std::size_t Count>
std::optional<double> scaled(std::string_view text, const std::array<Suffix, Count>& suffixes) {
  const auto digits = std::min(text.find_first_not_of("0123456789."), text.size());
  for (const auto& [suffix, factor] : suffixes) {
    if (text.substr(digits) != suffix) continue;
    const auto number = decimal(text.substr(0, digits));
    if (!number) return {};
    return *number * factor;
  }
  return {};
}

bool is_whole(double value) { return std::floor(value) == value; }

std::string shortest(double value) {
  std::array<char, 400> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::fixed).ptr;
  return {text.data(), end};
}

std::string show_bytes(double amount) {
  constexpr std::array kShown = {kSizes[4], kSizes[3], kSizes[2]};
  for (const auto& [suffix, factor] : kShown) {
    if (amount >= factor && is_whole(amount / factor)) {
      return shortest(amount / factor) + std::string(suffix);
    }
  }
  return shortest(amount);
}

Error not_a(std::string_view what, std::string_view text) {
  return Error(Errc::invalid_argument, in_quotes(text) + " is not " + std::string(what));
}

}  // namespace

Result<double> parse_quantity(std::string_view text, Unit unit) {
  switch (unit) {
    case Unit::milliseconds: {
      const auto value = scaled(text, kTimes);
      if (!value || (*value > 0 && *value < 1)) {
        return not_a("a time such as 500ms, 30s or 5m", text);
      }
      return std::round(*value);
    }
    case Unit::seconds: {
      const auto value = scaled(text, kTimes);
      if (!value || !is_whole(*value / 1000)) return not_a("a whole number of seconds", text);
      return *value / 1000;
    }
    case Unit::bytes: {
      const auto value = scaled(text, kSizes);
      if (!value || !is_whole(*value)) return not_a("a size such as 65536, 64KiB or 512MiB", text);
      return *value;
    }
    case Unit::count: {
      const auto value = scaled(text, kPlain);
      if (!value || !is_whole(*value)) return not_a("a whole number", text);
      return *value;
    }
    case Unit::processors: {
      const auto value = scaled(text, kPlain);
      if (!value) return not_a("a number of processors such as 0.5 or 2", text);
      return *value;
    }
  }
  return not_a("an amount", text);
}

Result<double> parse_plain_seconds(std::string_view text) {
  const auto value = decimal(text);
  if (!value || *value < 0.001) {
    return not_a("a positive number of seconds such as 30 or 0.5", text);
  }
  return *value;
}

std::string show_quantity(double amount, Unit unit) {
  switch (unit) {
    case Unit::milliseconds:
      return is_whole(amount / 1000) ? shortest(amount / 1000) + "s" : shortest(amount) + "ms";
    case Unit::seconds: return shortest(amount) + "s";
    case Unit::bytes: return show_bytes(amount);
    case Unit::count:
    case Unit::processors: return shortest(amount);
  }
  return {};
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShown = 60;
  std::string shown = "\"";
  for (const char letter : text.substr(0, kShown)) {
    const auto code = static_cast<unsigned char>(letter);
    shown += code < 0x20 || code > 0x7e ? '?' : letter;
  }
  return shown + (text.size() > kShown ? "…\"" : "\"");
}

}  // namespace lazaret::policy
