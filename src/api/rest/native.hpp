#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "os/handle.hpp"

namespace lazaret::rest {

/// What Boost.Asio makes its sockets of: a descriptor, or a SOCKET.
using NativeSocket =
    std::conditional_t<std::is_pointer_v<os::RawHandle>, std::uintptr_t, os::RawHandle>;

[[nodiscard]] inline NativeSocket native(os::RawHandle handle) {
  return std::bit_cast<NativeSocket>(handle);
}
[[nodiscard]] inline os::RawHandle handle_of(NativeSocket socket) {
  return std::bit_cast<os::RawHandle>(socket);
}

}  // namespace lazaret::rest
