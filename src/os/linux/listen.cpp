#include "os/listen.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/try.hpp"
#include "os/error.hpp"
#include "os/linux/stream_options.hpp"
#include "os/linux/wait.hpp"
#include "os/user.hpp"

namespace lazaret::os {
namespace {

constexpr int kBacklog = 1024;
constexpr int kFirstInherited = 3;  // SD_LISTEN_FDS_START
constexpr int kMostInherited = 16;

Result<sockaddr_un> unix_address(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string& text = path.native();
  if (text.empty() || text.size() >= sizeof(address.sun_path))
    return Error(Errc::invalid_argument, "the socket's path is longer than 107 bytes: " + text);
  std::memcpy(address.sun_path, text.data(), text.size());
  return address;
}

Result<Handle> stream_socket(int family) {
  Handle socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return last_error("socket");
  return socket;
}

template <typename Address>
const sockaddr* general(const Address& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

// Who owns the folder could put a socket of his own in the place of ours.
Status check_owner(const Handle& folder, const std::filesystem::path& path) {
  struct stat facts {};
  if (::fstat(folder.get(), &facts) != 0) return last_error("looking at " + path.string());
  if (facts.st_uid == ::geteuid() || facts.st_uid == 0) return {};
  return Error(Errc::permission_denied, path.string() + " is another user's")
      .with_hint("choose a folder of your own");
}

// The folder, locked against others of us that start at the same moment.
Result<Handle> locked_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder, ignored) && ::mkdir(folder.c_str(), 0700) != 0 &&
      errno != EEXIST)
    return last_error("making " + folder.string());
  Handle handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!handle.valid()) return last_error("opening " + folder.string());
  LAZARET_CHECK(check_owner(handle, folder));
  if (::flock(handle.get(), LOCK_EX | LOCK_NB) == 0) return handle;
  if (errno != EWOULDBLOCK) return last_error("locking " + folder.string());
  return Error(Errc::conflict, "another daemon is starting in " + folder.string());
}

// Takes away what an earlier daemon has left; nothing else.
Status clear_way(const std::filesystem::path& path, const sockaddr_un& address) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0) {
    if (errno == ENOENT) return {};
    return last_error("looking at " + path.string());
  }
  if (!S_ISSOCK(there.st_mode))
    return Error(Errc::invalid_argument, path.string() + " is there and is no socket");
  if (there.st_uid != ::geteuid())
    return Error(Errc::permission_denied, path.string() + " is another user's socket");
  LAZARET_TRY(const Handle probe, stream_socket(AF_UNIX));
  if (::connect(probe.get(), general(address), sizeof address) == 0 || errno != ECONNREFUSED)
    return Error(Errc::conflict, "a daemon answers on " + path.string() + " already");
  if (::unlink(path.c_str()) != 0) return last_error("removing " + path.string());
  return {};
}

std::uint64_t inode_of(const std::filesystem::path& path) {
  struct stat there {};
  return ::lstat(path.c_str(), &there) == 0 ? there.st_ino : 0;
}

struct NetworkAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

Result<NetworkAddress> network_address(const std::string& address, std::uint16_t port) {
  NetworkAddress parsed;
  auto& four = reinterpret_cast<sockaddr_in&>(parsed.storage);
  auto& six = reinterpret_cast<sockaddr_in6&>(parsed.storage);
  if (::inet_pton(AF_INET, address.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(port);
    parsed.size = sizeof four;
  } else if (::inet_pton(AF_INET6, address.c_str(), &six.sin6_addr) == 1) {
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(port);
    parsed.size = sizeof six;
  } else {
    return Error(Errc::invalid_argument, "not a numeric address: " + address);
  }
  return parsed;
}

// A variable that holds a number; -1 when it does not.
long number_in(const char* name) {
  const auto text = variable(name);
  if (!text || text->empty()) return -1;
  char* end = nullptr;
  const long number = std::strtol(text->c_str(), &end, 10);
  return *end == '\0' ? number : -1;
}

Status check_listener(int descriptor) {
  int listening = 0;
  int type = 0;
  socklen_t size = sizeof listening;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) != 0 ||
      ::getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || listening != 1 ||
      type != SOCK_STREAM) {
    return Error(Errc::invalid_argument, "descriptor " + std::to_string(descriptor) +
                                             " from the service manager is no listening stream");
  }
  if (::fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0 ||
      ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK) != 0)
    return last_error("fcntl");
  return {};
}

}  // namespace

UnixListener::UnixListener(Handle socket, std::filesystem::path path)
    : socket_(std::move(socket)), path_(std::move(path)), inode_(inode_of(path_)) {}

UnixListener::~UnixListener() {
  if (socket_.valid() && inode_of(path_) == inode_) ::unlink(path_.c_str());
}

Result<UnixListener> UnixListener::open(const std::filesystem::path& path) {
  LAZARET_TRY(const sockaddr_un address, unix_address(path));
  LAZARET_TRY(const Handle folder,
              locked_folder(path.has_parent_path() ? path.parent_path() : "."));
  LAZARET_CHECK(clear_way(path, address));
  LAZARET_TRY(Handle socket, stream_socket(AF_UNIX));
  // What bind makes takes its mode from the socket (unix(7)): no path is looked up twice.
  if (::fchmod(socket.get(), 0600) != 0) return last_error("fchmod");
  if (::bind(socket.get(), general(address), sizeof address) != 0)
    return last_error("binding " + path.string());
  UnixListener listener(std::move(socket), path);
  if (::listen(listener.handle(), kBacklog) != 0) return last_error("listen");
  return listener;
}

Result<Handle> listen_tcp(const std::string& address, std::uint16_t port) {
  LAZARET_TRY(const NetworkAddress place, network_address(address, port));
  LAZARET_TRY(Handle socket, stream_socket(place.storage.ss_family));
  const int yes = 1;
  (void)::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const std::string name = address + " port " + std::to_string(port);
  if (::bind(socket.get(), general(place.storage), place.size) != 0) {
    const bool taken = errno == EADDRINUSE;
    Error error = last_error("binding " + name);
    return taken ? std::move(error).as(Errc::conflict) : error;
  }
  if (::listen(socket.get(), kBacklog) != 0) return last_error("listening on " + name);
  return socket;
}

std::uint16_t port_of(RawHandle listener) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (::getsockname(listener, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return 0;
  if (storage.ss_family == AF_INET) return ntohs(reinterpret_cast<sockaddr_in&>(storage).sin_port);
  if (storage.ss_family != AF_INET6) return 0;
  return ntohs(reinterpret_cast<sockaddr_in6&>(storage).sin6_port);
}

Result<std::vector<Handle>> inherited_listeners() {
  std::vector<Handle> listeners;
  const bool ours = number_in("LISTEN_PID") == ::getpid();
  const long count = ours ? number_in("LISTEN_FDS") : 0;
  for (const char* const name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) ::unsetenv(name);
  if (count < 0 || count > kMostInherited)
    return Error(Errc::invalid_argument, "LISTEN_FDS is no number between 0 and 16");
  for (int descriptor = kFirstInherited; descriptor < kFirstInherited + count; ++descriptor) {
    LAZARET_CHECK(check_listener(descriptor));
    listeners.emplace_back(descriptor);
  }
  return listeners;
}

void notify_ready() {
  const auto path = variable("NOTIFY_SOCKET");
  ::unsetenv("NOTIFY_SOCKET");
  sockaddr_un address{};
  if (!path || path->empty() || path->size() >= sizeof(address.sun_path)) return;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path->data(), path->size());
  if (path->front() == '@') address.sun_path[0] = '\0';  // an abstract name, unix(7)
  const Handle socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  constexpr std::string_view kReady = "READY=1";
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path->size());
  (void)::sendto(socket.get(), kReady.data(), kReady.size(), MSG_NOSIGNAL, general(address), size);
}

Result<std::optional<Handle>> accept_now(RawHandle listener) {
  for (;;) {
    const int stream = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (stream >= 0) {
      prepare_stream(stream);
      return std::optional(Handle(stream));
    }
    if (errno == EAGAIN) return std::optional<Handle>();
    if (errno != EINTR && errno != ECONNABORTED) return last_error("accept");
  }
}

Status wait_for_connection(RawHandle listener, const Call& call) {
  return wait_for(listener, POLLIN, call);
}

std::optional<std::uint64_t> peer_user(RawHandle stream) {
  ucred peer{};
  socklen_t size = sizeof peer;
  int family = 0;
  socklen_t family_size = sizeof family;
  if (::getsockopt(stream, SOL_SOCKET, SO_DOMAIN, &family, &family_size) != 0 ||
      family != AF_UNIX || ::getsockopt(stream, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return std::nullopt;
  return peer.uid;
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace lazaret::os
