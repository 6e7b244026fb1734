#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lazaret/confinement.hpp"

/// The system calls a box may make: one list, the same verdicts on every backend.
namespace lazaret::backend::seccomp {

/// A call's argument after a mask: (argument & mask) == value.
struct Condition {
  std::uint32_t argument;
  std::uint64_t mask;
  std::uint64_t value;
};

/// Allowed when all conditions hold; several rules for one call are alternatives.
struct Allowed {
  std::string_view call;
  std::vector<Condition> conditions;
};

/// Refused with an error of its own instead of the default one, when all conditions hold.
struct Refused {
  std::string_view call;
  int error_number;
  std::vector<Condition> conditions;
};

/// What is not named here is answered with kUnknownError, so that programs use their fallbacks and
/// calls of future kernels are closed from the start.
struct Profile {
  std::vector<Allowed> allowed;
  std::vector<Refused> refused;
  std::vector<std::string_view> deadly;  ///< whoever calls one is killed, by SIGSYS
};

inline constexpr int kUnknownError = 38;  // ENOSYS
inline constexpr int kRefusedError = 1;   // EPERM
inline constexpr int kFamilyError = 97;   // EAFNOSUPPORT

/// Built once; pure. The strict one is a part of the standard one, and that a part of dev's.
/// Internet sockets can be made where the loopback is up.
[[nodiscard]] const Profile& profile_of(lazaret::Profile profile, Loopback loopback);
[[nodiscard]] const Profile& standard_profile();

}  // namespace lazaret::backend::seccomp
