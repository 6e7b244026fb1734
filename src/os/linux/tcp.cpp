#include "os/tcp.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/condition.hpp"
#include "base/try.hpp"
#include "os/error.hpp"
#include "os/linux/stream_options.hpp"
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

template <typename Address>
Address address_in(const sockaddr* from) noexcept {
  Address address;
  std::memcpy(&address, from, sizeof address);
  return address;
}

bool is_same_network(const in6_addr& one, const in6_addr& other, const in6_addr& mask) noexcept {
  for (std::size_t at = 0; at < sizeof mask.s6_addr; ++at) {
    if (((one.s6_addr[at] ^ other.s6_addr[at]) & mask.s6_addr[at]) != 0) return false;
  }
  return true;
}

// Whether it is this machine's own, or a neighbour's, at an interface of this family.
bool is_near(const ifaddrs& own, const addrinfo& entry) noexcept {
  if (own.ifa_addr == nullptr || own.ifa_netmask == nullptr ||
      own.ifa_addr->sa_family != entry.ai_family)
    return false;
  if (entry.ai_family == AF_INET6)
    return is_same_network(address_in<sockaddr_in6>(own.ifa_addr).sin6_addr,
                           address_in<sockaddr_in6>(entry.ai_addr).sin6_addr,
                           address_in<sockaddr_in6>(own.ifa_netmask).sin6_addr);
  const auto bits = [](const sockaddr* from) {
    return address_in<sockaddr_in>(from).sin_addr.s_addr;
  };
  return ((bits(own.ifa_addr) ^ bits(entry.ai_addr)) & bits(own.ifa_netmask)) == 0;
}

bool is_near(const addrinfo& entry) noexcept {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return true;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> all(list, ::freeifaddrs);
  for (const ifaddrs* own = list; own != nullptr; own = own->ifa_next) {
    if (is_near(*own, entry)) return true;
  }
  return false;
}

bool is_public(const addrinfo& entry) noexcept {
  if (entry.ai_family == AF_INET)
    return is_public(::ntohl(address_in<sockaddr_in>(entry.ai_addr).sin_addr.s_addr)) &&
           !is_near(entry);
  return entry.ai_family == AF_INET6 &&
         is_public(address_in<sockaddr_in6>(entry.ai_addr).sin6_addr) && !is_near(entry);
}

using AddressList = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

// What getaddrinfo(3) says, which cannot be interrupted: a thread asks, and is left to itself by
// who does not want to know any more.
struct Lookup {
  std::mutex mutex;
  Condition changed;
  bool is_over = false;
  int code = 0;
  AddressList list{nullptr, ::freeaddrinfo};
};

int ask(const std::string& host, std::uint16_t port, int flags, AddressList& list) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int code = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found);
  if (code == 0) list.reset(found);
  return code;
}

// Of this process's, those that somebody has left to themselves among them.
std::atomic<int> lookups_under_way = 0;
constexpr int kMostLookups = 64;

void look_up(const std::shared_ptr<Lookup>& lookup, const std::string& host, std::uint16_t port) {
  AddressList list(nullptr, ::freeaddrinfo);
  const int code = ask(host, port, AI_ADDRCONFIG, list);
  --lookups_under_way;
  const std::scoped_lock lock(lookup->mutex);
  lookup->is_over = true;
  lookup->code = code;
  lookup->list = std::move(list);
  lookup->changed.notify_all();
}

Result<std::shared_ptr<Lookup>> begin_lookup(const std::string& host, std::uint16_t port) {
  if (++lookups_under_way > kMostLookups) {
    --lookups_under_way;
    return Error(Errc::system, host + ": too many names are looked up");
  }
  try {
    auto lookup = std::make_shared<Lookup>();
    std::thread(look_up, lookup, host, port).detach();
    return lookup;
  } catch (const std::system_error& refused) {
    --lookups_under_way;
    return system_error("a thread to look " + host + " up", refused.code().value());
  }
}

Result<AddressList> addresses_of(const std::string& host, std::uint16_t port, const Call& call) {
  AddressList numeric(nullptr, ::freeaddrinfo);
  if (ask(host, port, AI_NUMERICHOST, numeric) == 0) return numeric;
  LAZARET_TRY(const auto lookup, begin_lookup(host, port));
  std::unique_lock lock(lookup->mutex);
  const auto left = call.deadline.left().value_or(std::chrono::hours(1));
  const bool is_over = lookup->changed.wait_until(
      lock, call.stop, std::chrono::steady_clock::now() + left, [&] { return lookup->is_over; });
  LAZARET_CHECK(call.check());
  if (!is_over) return Error(Errc::timed_out, "looking up " + host);
  if (lookup->code == 0) return std::move(lookup->list);
  return Error(lookup->code == EAI_AGAIN ? Errc::system : Errc::not_found,
               host + ": " + ::gai_strerror(lookup->code));
}

Result<Handle> connected_to(const addrinfo& entry, const Call& call) {
  constexpr int kFlags = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
  Handle socket(::socket(entry.ai_family, kFlags, 0));
  if (!socket.valid()) return last_error("socket");
  prepare_stream(socket.get());
  if (::connect(socket.get(), entry.ai_addr, entry.ai_addrlen) == 0) return socket;
  if (errno != EINPROGRESS && errno != EINTR) return last_error("connecting");
  LAZARET_CHECK(wait_for(socket.get(), POLLOUT, call));
  int code = 0;
  socklen_t size = sizeof code;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &code, &size) != 0) code = errno;
  if (code != 0) return system_error("connecting", code);
  return socket;
}

std::vector<const addrinfo*> allowed_of(const addrinfo* list, Addresses allowed) {
  std::vector<const addrinfo*> entries;
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    if (allowed == Addresses::any || is_public(*entry)) entries.push_back(entry);
  }
  return entries;
}

// Who does not answer must not keep the next address from being tried: each has its share.
Call share_of(const Call& call, std::size_t count) {
  const auto left = call.deadline.left();
  return left ? call.within(*left / static_cast<long>(count)) : call;
}

}  // namespace

Result<std::unique_ptr<Wire>> connect_tcp(const std::string& host, std::uint16_t port,
                                          Addresses allowed, const Call& call) {
  LAZARET_TRY(const AddressList list, addresses_of(host, port, call));
  const auto entries = allowed_of(list.get(), allowed);
  const std::string place = host + " port " + std::to_string(port);
  Error last(Errc::permission_denied, host + " has no public address");
  for (std::size_t at = 0; at < entries.size(); ++at) {
    LAZARET_CHECK(call.check());
    auto socket = connected_to(*entries[at], share_of(call, entries.size() - at));
    if (socket.ok()) return wire_over(std::move(socket).value());
    last = Error(socket.error()).within(place);
  }
  return last;
}

}  // namespace lazaret::os
