#pragma once

#include <string_view>
#include <vector>

#include "lazaret/request.hpp"
#include "lazaret/result.hpp"

namespace lazaret::policy {

/// Whether names with '/' between them lead somewhere below a directory and nowhere else: none is
/// empty, "." or "..", longer than 255 bytes or holds a NUL, and all are 4095 bytes at most.
[[nodiscard]] bool is_below(std::string_view path);

/// By their words alone. `code` is where the code's own file lies, relative to /work, if there is
/// one. Errors: invalid_argument, too_large.
[[nodiscard]] Status check_inputs(const std::vector<Input>& inputs, std::string_view code);

}  // namespace lazaret::policy
