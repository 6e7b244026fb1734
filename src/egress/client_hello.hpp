#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lazaret::egress {

/// What the first bytes of a connection say of whom TLS is asked for (RFC 6066, server_name).
struct ServerName {
  enum class Kind {
    needs_more,  ///< they may be the beginning of a ClientHello
    absent,      ///< they are no TLS, or a ClientHello that names nobody
    named,
    unreadable,  ///< they begin as a ClientHello, and are none
  };
  Kind kind = Kind::absent;
  std::string name = {};    ///< as it is written there
  std::size_t missing = 1;  ///< where more is needed, so many bytes at least
};

/// Of a ClientHello in any number of records (RFC 8446, section 5.1), the first thing that is sent:
/// TLS that begins otherwise is unreadable, and so are 64 KiB of it. Hostile input.
[[nodiscard]] ServerName server_name_in(std::string_view bytes);

}  // namespace lazaret::egress
