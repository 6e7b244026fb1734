#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "lazaret/result.hpp"

namespace lazaret::rest {

using Parameters = std::map<std::string, std::string, std::less<>>;

/// What a query says ("name=value&…", RFC 3986, 2.1). Errors: invalid_argument for a name that is
/// not known or comes twice, and for what cannot be decoded.
[[nodiscard]] Result<Parameters> parameters_of(std::string_view query,
                                               std::span<const std::string_view> known);
inline constexpr std::uint64_t kAnyNumber = std::numeric_limits<std::uint64_t>::max();
/// A whole number, 0 where the parameter is not given. Errors: invalid_argument for what is none,
/// or more than `most`.
[[nodiscard]] Result<std::uint64_t> number_in(const Parameters& parameters, const char* name,
                                              std::uint64_t most);

}  // namespace lazaret::rest
