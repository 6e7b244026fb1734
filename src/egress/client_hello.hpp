#pragma once

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
  std::string name;  ///< in lower case, without a dot at its end
};

/// Of a ClientHello in any number of records (RFC 8446, section 5.1). Hostile input; 64 KiB of it
/// are unreadable.
[[nodiscard]] ServerName server_name_in(std::string_view bytes);

}  // namespace lazaret::egress
