#include "os/tcp.hpp"
#include "soon.hpp"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include <gtest/gtest.h>

#include "os/listen.hpp"
#include "os/wire.hpp"

namespace lazaret::os {
namespace {

using lazaret::test::soon;

TEST(Tcp, ConnectsToWhoListens) {
  for (const char* const host : {"127.0.0.1", "::1"}) {
    const auto listener = listen_tcp(host, 0);
    if (!listener.ok()) continue;  // no such address here
    const auto wire = connect_tcp(host, port_of(listener->get()), Addresses::any, soon());
    ASSERT_TRUE(wire.ok()) << host << wire.error().message();
    std::optional<Handle> other;
    while (!other) {
      auto accepted = accept_now(listener->get());
      ASSERT_TRUE(accepted.ok());
      other = std::move(*accepted);
    }
    const auto there = wire_over(std::move(*other));
    ASSERT_TRUE((*wire)->write(bytes_of("hello"), soon()).ok());
    std::array<std::byte, 8> room;
    EXPECT_EQ(*there->read(room, soon()), 5U);
  }
}

TEST(Tcp, SaysThatNobodyListens) {
  std::uint16_t port = 0;
  {
    const auto listener = listen_tcp("127.0.0.1", 0);
    ASSERT_TRUE(listener.ok());
    port = port_of(listener->get());
  }
  const auto wire = connect_tcp("127.0.0.1", port, Addresses::any, soon());
  ASSERT_FALSE(wire.ok());
  EXPECT_EQ(wire.error().code(), Errc::connection_refused);
  EXPECT_NE(wire.error().message().find("127.0.0.1 port"), std::string::npos);
}

// None of them is asked: it is the address alone that is looked at.
TEST(Tcp, LeavesAddressesThatAreNotPublicAlone) {
  for (const char* const host :
       {"0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.1", "100.127.255.255",
        "127.0.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1",
        "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.9",
        "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1",
        "::ffff:8.8.8.8", "64:ff9b::a00:1", "fc00::1", "fe80::1", "ff02::1", "2001::1",
        "2001:1ff::1", "2001:db8::1", "2002:7f00:1::1"}) {
    const auto wire = connect_tcp(host, 443, Addresses::public_ones, soon());
    ASSERT_FALSE(wire.ok()) << host;
    EXPECT_EQ(wire.error().code(), Errc::permission_denied) << host << wire.error().message();
  }
}

// That they are not refused is seen without a packet: the call is cancelled before it connects.
TEST(Tcp, AllowsThoseBesideThem) {
  std::stop_source stop;
  stop.request_stop();
  const Call cancelled{Deadline::never(), stop.get_token()};
  for (const char* const host :
       {"1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.1", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.1",
        "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
        "2000::1", "2001:200::1", "2001:db7:ffff::1", "2001:db9::1", "2003::1", "2606:4700::1",
        "3fff:ffff::1"}) {
    const auto wire = connect_tcp(host, 443, Addresses::public_ones, cancelled);
    ASSERT_FALSE(wire.ok());
    EXPECT_EQ(wire.error().code(), Errc::cancelled) << host;
  }
}

// In a network of its own, whose loopback has a public address and a neighbour's: 0, 1 or 2 of them
// that were not left alone; -1 where there is no such network.
int reached_in_own_network() {
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return -1;
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  sockaddr_in own{};
  own.sin_family = AF_INET;
  ::inet_pton(AF_INET, "1.2.3.4", &own.sin_addr);
  std::memcpy(&request.ifr_addr, &own, sizeof own);
  if (::ioctl(socket, SIOCSIFADDR, &request) != 0) return -1;
  ::inet_pton(AF_INET, "255.255.255.0", &own.sin_addr);
  std::memcpy(&request.ifr_netmask, &own, sizeof own);
  if (::ioctl(socket, SIOCSIFNETMASK, &request) != 0) return -1;
  request.ifr_flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING;
  if (::ioctl(socket, SIOCSIFFLAGS, &request) != 0) return -1;
  int reached = 0;
  for (const char* const host : {"1.2.3.4", "1.2.3.77"}) {
    const auto wire = connect_tcp(host, 443, Addresses::public_ones, soon());
    reached += wire.error().code() == Errc::permission_denied ? 0 : 1;
  }
  return reached;
}

TEST(Tcp, LeavesThisMachinesOwnNetworksAlone) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(reached_in_own_network() & 0xFF);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WEXITSTATUS(status) == 0xFF) GTEST_SKIP() << "no network of one's own can be made here";
  EXPECT_EQ(status, 0);
}

// What a name leads to is not waited for by who does not want it any more.
TEST(Tcp, IsNotHeldUpByALookup) {
  std::stop_source stop;
  stop.request_stop();
  const auto wire =
      connect_tcp("localhost", 9, Addresses::any, Call{Deadline::never(), stop.get_token()});
  ASSERT_FALSE(wire.ok());
  EXPECT_EQ(wire.error().code(), Errc::cancelled);
}

TEST(Tcp, SaysThatThereIsNoSuchName) {
  const auto wire = connect_tcp(std::string(64, 'a') + ".invalid", 443, Addresses::any, soon());
  ASSERT_FALSE(wire.ok());
  EXPECT_EQ(wire.error().code(), Errc::not_found);
}

}  // namespace
}  // namespace lazaret::os
