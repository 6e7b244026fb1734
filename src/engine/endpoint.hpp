#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/call.hpp"
#include "base/wire.hpp"
#include "lazaret/result.hpp"

namespace lazaret::engine {

enum class Scheme { unix_socket, named_pipe, tcp, tls, ssh };

/// Where an engine listens, as the user wrote it and taken apart.
struct Endpoint {
  Scheme scheme;
  std::string address;  ///< path of the socket or pipe; host and port; user, host and path for ssh
  std::string text;     ///< "unix:///run/docker.sock"
};

/// Understands unix:///path, npipe:////./pipe/name, tcp://host:port, http://, https:// and ssh://.
/// Errors: invalid_argument.
[[nodiscard]] Result<Endpoint> parse_endpoint(std::string_view text);

/// Opens connections to one engine; the seam between the client and the kinds of wire. Thread-safe.
class Dialer {
 public:
  Dialer() = default;
  Dialer(const Dialer&) = delete;
  Dialer& operator=(const Dialer&) = delete;
  virtual ~Dialer() = default;

  /// A fresh connection. Errors: not_found, permission_denied (with the fix in the hint),
  /// connection_refused, unsupported, timed_out, cancelled, system.
  [[nodiscard]] virtual Result<std::unique_ptr<Wire>> dial(const Call& call) = 0;
  /// The endpoint as text, for messages.
  [[nodiscard]] virtual std::string endpoint() const = 0;
};

/// Unix sockets are dialled; every other scheme answers Errc::unsupported and says what to do.
[[nodiscard]] std::unique_ptr<Dialer> dialer_for(Endpoint endpoint);

}  // namespace lazaret::engine
