#include "os/tcp.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/try.hpp"
#include "os/error.hpp"
#include "os/linux/wait.hpp"
#include "os/wire.hpp"

namespace lazaret::os {
namespace {

struct Block {
  std::uint32_t network;
  unsigned bits;
};

// The special ones of RFC 6890, multicast, and what is reserved.
constexpr Block kSpecial[] = {
    {0x00000000, 8},  {0x0A000000, 8},  {0x64400000, 10}, {0x7F000000, 8},  {0xA9FE0000, 16},
    {0xAC100000, 12}, {0xC0000000, 24}, {0xC0000200, 24}, {0xC0586300, 24}, {0xC0A80000, 16},
    {0xC6120000, 15}, {0xC6336400, 24}, {0xCB007100, 24}, {0xE0000000, 3},
};

bool is_public(std::uint32_t address) noexcept {
  return std::ranges::none_of(kSpecial, [address](const Block& block) {
    return (address ^ block.network) >> (32 - block.bits) == 0;
  });
}

// Global unicast is 2000::/3; of that neither Teredo, ORCHID and documentation (2001::/16 up to
// 2001:1ff, 2001:db8) nor 6to4, in which any IPv4 address can be.
bool is_public(const in6_addr& address) noexcept {
  const std::uint8_t* const byte = address.s6_addr;
  if (byte[0] >> 5 != 1) return false;
  if (byte[0] != 0x20) return true;
  const bool protocols = byte[1] == 0x01 && byte[2] < 0x02;
  const bool documentation = byte[1] == 0x01 && byte[2] == 0x0D && byte[3] == 0xB8;
  return !protocols && !documentation && byte[1] != 0x02;
}

bool is_public(const addrinfo& entry) noexcept {
  if (entry.ai_family == AF_INET) {
    sockaddr_in address;
    std::memcpy(&address, entry.ai_addr, sizeof address);
    return is_public(::ntohl(address.sin_addr.s_addr));
  }
  sockaddr_in6 address;
  std::memcpy(&address, entry.ai_addr, sizeof address);
  return entry.ai_family == AF_INET6 && is_public(address.sin6_addr);
}

using AddressList = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

Result<AddressList> addresses_of(const std::string& host, std::uint16_t port) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int code = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found);
  if (code == 0) return AddressList(found, ::freeaddrinfo);
  return Error(Errc::not_found, host + ": " + ::gai_strerror(code));
}

Result<Handle> connected_to(const addrinfo& entry, const Call& call) {
  constexpr int kFlags = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
  Handle socket(::socket(entry.ai_family, kFlags, 0));
  if (!socket.valid()) return last_error("socket");
  if (::connect(socket.get(), entry.ai_addr, entry.ai_addrlen) == 0) return socket;
  if (errno != EINPROGRESS && errno != EINTR) return last_error("connecting");
  LAZARET_CHECK(wait_for(socket.get(), POLLOUT, call));
  int code = 0;
  socklen_t size = sizeof code;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &code, &size) != 0) code = errno;
  if (code != 0) return system_error("connecting", code);
  return socket;
}

}  // namespace

Result<std::unique_ptr<Wire>> connect_tcp(const std::string& host, std::uint16_t port,
                                          Addresses allowed, const Call& call) {
  LAZARET_TRY(const AddressList list, addresses_of(host, port));
  Error last(Errc::permission_denied, host + " has no public address");
  for (const addrinfo* entry = list.get(); entry != nullptr; entry = entry->ai_next) {
    if (allowed == Addresses::public_ones && !is_public(*entry)) continue;
    LAZARET_CHECK(call.check());
    auto socket = connected_to(*entry, call);
    if (socket.ok()) return wire_over(std::move(socket).value());
    last = Error(socket.error()).within(host + " port " + std::to_string(port));
  }
  return last;
}

}  // namespace lazaret::os
