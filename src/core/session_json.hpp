#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "lazaret/result.hpp"
#include "lazaret/session.hpp"

namespace lazaret::core {

/// A session as docs/serve.md describes it: members of a run's request that the session decides for
/// all its runs, lifetime_s and idle_s. Errors: invalid_argument for another member, or one of
/// another type, and names it.
[[nodiscard]] Result<SessionRequest> session_request_of(nlohmann::json object);
/// The members that it knows.
[[nodiscard]] std::vector<std::string_view> session_members();

}  // namespace lazaret::core
