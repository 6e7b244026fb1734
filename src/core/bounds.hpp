#pragma once

#include <chrono>

/// How long an engine may take, whatever the program was allowed.
namespace lazaret::core {

inline constexpr std::chrono::seconds kOpenBound{60};  ///< to make a box
inline constexpr std::chrono::seconds kEndBound{10};   ///< to end one, and to remove it

}  // namespace lazaret::core
