#pragma once

#include <string>
#include <string_view>

/// The system speaks UTF-16, Lazaret UTF-8. What is ill-formed becomes U+FFFD.
namespace lazaret::os {

[[nodiscard]] std::wstring wide(std::string_view utf8);
[[nodiscard]] std::string narrow(std::wstring_view utf16);

}  // namespace lazaret::os
