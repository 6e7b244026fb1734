#include "os/wire.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/try.hpp"
#include "os/error.hpp"
#include "os/linux/wait.hpp"
#include "os/listen.hpp"

namespace lazaret::os {
namespace {

bool would_block() noexcept { return errno == EAGAIN || errno == EWOULDBLOCK; }

class DescriptorWire final : public Wire {
 public:
  explicit DescriptorWire(Handle stream) : stream_(std::move(stream)) {
    const int flags = ::fcntl(stream_.get(), F_GETFL);
    (void)::fcntl(stream_.get(), F_SETFL, flags | O_NONBLOCK);
  }

  Result<std::size_t> read(std::span<std::byte> into, const Call& call) override {
    for (;;) {
      const ssize_t count = ::read(stream_.get(), into.data(), into.size());
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno == EINTR) continue;
      if (!would_block()) return last_error("reading from the wire");
      LAZARET_CHECK(wait_for(stream_.get(), POLLIN, call));
    }
  }

  Status write(Bytes bytes, const Call& call) override {
    while (!bytes.empty()) {
      const ssize_t count = ::send(stream_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count >= 0) {
        bytes = bytes.subspan(static_cast<std::size_t>(count));
        continue;
      }
      if (errno == EINTR) continue;
      if (!would_block()) return last_error("writing to the wire");
      LAZARET_CHECK(wait_for(stream_.get(), POLLOUT, call));
    }
    return {};
  }

  Status close_write() override {
    if (::shutdown(stream_.get(), SHUT_WR) != 0) return last_error("shutdown");
    return {};
  }

 private:
  Handle stream_;
};

Error connect_error(const std::filesystem::path& path, int code) {
  return system_error("connecting to " + path.string(), code);
}

Result<sockaddr_un> address_of(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string& text = path.native();
  if (text.empty() || text.size() >= sizeof(address.sun_path)) {
    return Error(Errc::invalid_argument, "socket path is empty or longer than 107 bytes: " + text);
  }
  std::memcpy(address.sun_path, text.data(), text.size());
  return address;
}

Result<Handle> connected_to(const std::filesystem::path& path, const Call& call) {
  LAZARET_TRY(const sockaddr_un address, address_of(path));
  Handle socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return last_error("socket");
  // A full backlog answers EAGAIN at once on Unix sockets (connect(2)); it is waited for, bounded.
  while (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
         0) {
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return connect_error(path, errno);
    LAZARET_CHECK(call.check());
    if (auto idle = wait_any({}, Call{}.within(std::chrono::milliseconds(5))); idle.ok()) continue;
  }
  return socket;
}

}  // namespace

std::unique_ptr<Wire> wire_over(Handle stream) {
  return std::make_unique<DescriptorWire>(std::move(stream));
}

Result<std::pair<Handle, Handle>> stream_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return last_error("socketpair");
  }
  return std::pair{Handle(ends[0]), Handle(ends[1])};
}

Result<std::unique_ptr<Wire>> connect_unix(const std::filesystem::path& path, const Call& call) {
  LAZARET_TRY(Handle socket, connected_to(path, call));
  return wire_over(std::move(socket));
}

Result<std::unique_ptr<Wire>> connect_own_unix(const std::filesystem::path& path,
                                               const Call& call) {
  LAZARET_TRY(Handle socket, connected_to(path, call));
  const auto peer = peer_user(socket.get());
  if (peer && (*peer == ::geteuid() || *peer == 0)) return wire_over(std::move(socket));
  return Error(Errc::permission_denied, "another user listens on " + path.string());
}

}  // namespace lazaret::os
