#pragma once

#include <string>
#include <string_view>

namespace lazaret::rest {

/// Of the client's own name for its request, or the one that it is given.
inline constexpr const char* kRequestId = "X-Request-Id";

/// 128 random bits in hexadecimal: nobody can guess another's.
[[nodiscard]] std::string new_id();
/// Whether a client's own name for its request may stand in our answers: 1 to 64 letters, digits,
/// '-', '_' and '.'.
[[nodiscard]] bool is_request_id(std::string_view text);

}  // namespace lazaret::rest
