#pragma once

#include <chrono>

/// How long an engine, or what is left of a run, may take, whatever the program was allowed.
namespace lazaret::core {

inline constexpr std::chrono::seconds kOpenBound{60};  ///< to make a box
/// The same where packages may have to go to an engine first, 1 GiB at most.
inline constexpr std::chrono::seconds kOpenWithPackagesBound{600};
inline constexpr std::chrono::seconds kEndBound{10};   ///< to end one, and to remove it

inline constexpr std::chrono::seconds kDrainBound{2};  ///< for the stream of one that was ended
inline constexpr std::chrono::seconds kKillBound{2};   ///< for the runner to end contexts
inline constexpr std::chrono::milliseconds kAloneBound{500};  ///< until the others are gone
inline constexpr std::chrono::milliseconds kBeginning{1000};  ///< of a cell that hears nothing yet

}  // namespace lazaret::core
