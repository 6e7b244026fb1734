#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lazaret/error.hpp"
#include "lazaret/result.hpp"
#include "os/folder.hpp"

namespace lazaret::runner {

inline constexpr const char* kRoot = "/work";
inline constexpr std::size_t kDeepest = 64;  ///< of directories in each other; each is held open

/// A name and the directory that it is in.
struct Place {
  os::Folder folder;
  std::string name;
};

/// What becomes of directories on the way that are not there.
enum class Missing { fail, are_made };

/// Where a path below /work leads, one name after the other. Whether something has the last name is
/// not looked at. Errors: those of the system.
[[nodiscard]] Result<Place> place_of(std::string_view path, Missing directories);

/// What the host is told of an error: the system's number, or EIO where it has none.
[[nodiscard]] inline std::int32_t number_of(const Error& error) {
  constexpr std::int32_t kNotKnown = 5;
  return error.os_error() != 0 ? error.os_error() : kNotKnown;
}

}  // namespace lazaret::runner
