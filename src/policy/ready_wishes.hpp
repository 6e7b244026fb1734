#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "lazaret/result.hpp"
#include "policy/config.hpp"

namespace lazaret::policy {

/// What `pool.ready` says: words (`python:2`, or `python` for one) and, in a list, objects with the
/// members of a request and `count`, which are kept as JSON. Errors: invalid_argument for a
/// language that is none, for counts beyond 1 to 256, and for what comes twice; what is in a
/// request is not looked at.
[[nodiscard]] Result<std::map<std::string, std::uint32_t>> ready_wishes(const nlohmann::json& value,
                                                                        const Config& config);
/// The same in one line.
[[nodiscard]] std::string show_wishes(const std::map<std::string, std::uint32_t>& wishes);

}  // namespace lazaret::policy
