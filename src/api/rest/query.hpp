#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "lazaret/result.hpp"

namespace lazaret::rest {

using Parameters = std::map<std::string, std::string, std::less<>>;

/// What a query says ("name=value&…", RFC 3986, 2.1). Errors: invalid_argument for a name that is
/// not known or comes twice, and for what cannot be decoded.
[[nodiscard]] Result<Parameters> parameters_of(std::string_view query,
                                               std::initializer_list<std::string_view> known);

}  // namespace lazaret::rest
