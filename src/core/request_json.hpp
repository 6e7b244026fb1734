#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "lazaret/request.hpp"
#include "lazaret/result.hpp"

namespace lazaret::core {

/// What is asked for, as docs/serve.md describes it: language, code, command, arguments, stdin,
/// environment, limits (named and measured as in a result), image, required_controls. Errors:
/// invalid_argument for a member that is unknown or of another type, and names it.
[[nodiscard]] Result<ExecutionRequest> request_of(const nlohmann::json& object);
/// The members that request_of knows.
[[nodiscard]] std::vector<std::string_view> request_members();
/// The same back; members that say nothing are left out, and so are functions, the stop
/// token and what is this machine's: sources of inputs, files of packages and the directory for
/// artifacts.
/// The texts of the result may be anything: whoever writes it out checks that they are UTF-8.
[[nodiscard]] nlohmann::json json_of(const ExecutionRequest& request);

}  // namespace lazaret::core
