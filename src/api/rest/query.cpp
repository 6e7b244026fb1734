#include "api/rest/query.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/number.hpp"
#include "base/split.hpp"

namespace lazaret::rest {
namespace {

// "%2F" is a slash; '+' is itself, which only forms take for a space.
std::optional<std::string> decoded(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      plain += text[at];
      continue;
    }
    const std::string_view digits = text.substr(at + 1, 2);
    const auto byte = parse_number(digits, 16);
    if (digits.size() != 2 || !byte) return std::nullopt;
    plain += static_cast<char>(*byte);
    at += 2;
  }
  return plain;
}

}  // namespace

Result<Parameters> parameters_of(std::string_view query, std::span<const std::string_view> known) {
  Parameters parameters;
  if (query.empty()) return parameters;
  for (const std::string_view pair : split(query, '&')) {
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const std::string_view name = pair.substr(0, equals);
    if (std::ranges::find(known, name) == known.end())
      return Error(Errc::invalid_argument, "no parameter here: " + std::string(pair));
    if (equals == pair.size())
      return Error(Errc::invalid_argument,
                   std::string(pair) + " needs a value: " + std::string(pair) + "=...");
    auto value = decoded(pair.substr(equals + 1));
    if (!value) return Error(Errc::invalid_argument, "a percent sign is followed by two digits");
    if (!parameters.emplace(name, std::move(*value)).second)
      return Error(Errc::invalid_argument, "twice: " + std::string(name));
  }
  return parameters;
}

Result<std::uint64_t> number_in(const Parameters& parameters, const char* name,
                                std::uint64_t most) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) return std::uint64_t{0};
  const auto number = parse_number(found->second);
  if (number && *number <= most) return std::uint64_t{*number};
  return Error(Errc::invalid_argument,
               std::string(name) + " is a whole number up to " + std::to_string(most));
}

}  // namespace lazaret::rest
