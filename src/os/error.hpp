#pragma once

#include <string>
#include <string_view>

#include "lazaret/error.hpp"

namespace lazaret::os {

/// An Error for a failed system call: `what` names the call and its object, `code` is errno or
/// GetLastError(). ENOENT, EACCES/EPERM, ECONNREFUSED, EPIPE/ECONNRESET and ENOSYS get their own
/// kinds; everything else is Errc::system.
[[nodiscard]] Error system_error(std::string_view what, int code);
/// As above with the calling thread's last error.
[[nodiscard]] Error last_error(std::string_view what);

}  // namespace lazaret::os
