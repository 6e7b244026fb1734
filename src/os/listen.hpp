#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/call.hpp"
#include "lazaret/result.hpp"
#include "os/handle.hpp"

/// Sockets to which others connect. Everything made here closes on exec and does not block.
namespace lazaret::os {

/// A Unix socket that only its owner may connect to (0600). Its name goes with it, unless somebody
/// else has put another socket there.
class UnixListener {
 public:
  /// Makes the folder of the socket (0700) when there is none, and replaces a socket to which
  /// nobody answers. Errors: conflict when somebody does, or is starting there at this moment;
  /// permission_denied when the folder (root's will do) or what stands there is another user's;
  /// invalid_argument for a path of more than 107 bytes or one that names something else than a
  /// socket; system.
  [[nodiscard]] static Result<UnixListener> open(const std::filesystem::path& path);
  UnixListener(UnixListener&&) noexcept = default;
  UnixListener& operator=(UnixListener&&) = delete;
  ~UnixListener();

  [[nodiscard]] RawHandle handle() const noexcept { return socket_.get(); }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  UnixListener(Handle socket, std::filesystem::path path);
  Handle socket_;
  std::filesystem::path path_;
  std::uint64_t inode_ = 0;
};

/// A TCP socket on a numeric address, port 0 for any free one. Errors: invalid_argument, conflict
/// when the port is taken, permission_denied, system.
[[nodiscard]] Result<Handle> listen_tcp(const std::string& address, std::uint16_t port);
/// The port that a TCP socket listens on; 0 for every other socket.
[[nodiscard]] std::uint16_t port_of(RawHandle listener);

/// Sockets that a service manager opened for us, in its order (sd_listen_fds(3)); none when the
/// variables are another process's. Takes the variables out of the environment. Not to be called
/// while another thread reads them. Errors: invalid_argument when one is not a listening stream.
[[nodiscard]] Result<std::vector<Handle>> inherited_listeners();
/// Tells a service manager that we are ready (sd_notify(3)); nothing when there is none.
void notify_ready();

/// The next connection; nothing when there is none now. A TCP peer that vanishes is found within a
/// minute and a half, and reading fails then. Errors: system, with the reason in
/// os_error() (EMFILE and its like are worth another try).
[[nodiscard]] Result<std::optional<Handle>> accept_now(RawHandle listener);
/// Waits until there may be one. Errors: timed_out, cancelled, system.
[[nodiscard]] Status wait_for_connection(RawHandle listener, const Call& call);
/// The user on the other end of a Unix socket (unix(7), SO_PEERCRED); unset for every other.
[[nodiscard]] std::optional<std::uint64_t> peer_user(RawHandle stream);

/// As many descriptors for this process as its hard limit allows.
void raise_descriptor_limit();

}  // namespace lazaret::os
