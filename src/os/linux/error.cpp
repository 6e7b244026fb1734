#include "os/error.hpp"

#include <cerrno>
#include <cstring>

namespace lazaret::os {
namespace {

Errc kind_of(int code) noexcept {
  switch (code) {
    case ENOENT: return Errc::not_found;
    case EACCES:
    case EPERM: return Errc::permission_denied;
    case ECONNREFUSED: return Errc::connection_refused;
    case EPIPE:
    case ECONNRESET:
    case ENOTCONN: return Errc::connection_lost;
    case ENOSYS:
    case EOPNOTSUPP: return Errc::unsupported;
    case EINVAL: return Errc::invalid_argument;
    default: return Errc::system;
  }
}

}  // namespace

Error system_error(std::string_view what, int code) {
  const char* const text = strerrordesc_np(code);
  return Error(kind_of(code), std::string(what) + ": " + (text != nullptr ? text : "unknown error"))
      .with_os_error(code);
}

Error last_error(std::string_view what) { return system_error(what, errno); }

}  // namespace lazaret::os
