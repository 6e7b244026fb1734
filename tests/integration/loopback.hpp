#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/wire.hpp"
#include "os/listen.hpp"
#include "os/wire.hpp"

/// The daemon's other door: TCP on the loopback, for who has the token.
namespace lazaret::test {

inline const std::string kToken = "0123456789abcdef";

/// One that was free a moment ago.
[[nodiscard]] inline std::string free_port() {
  const auto listener = os::listen_tcp("127.0.0.1", 0);
  return std::to_string(os::port_of(listener->get()));
}

/// How much is on its way to a client that does not read: `narrow` is little, tcp(7).
enum class Width { usual, narrow };

[[nodiscard]] inline std::unique_ptr<Wire> connected_to(const std::string& port,
                                                        Width width = Width::usual) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(static_cast<std::uint16_t>(std::stoi(port)));
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  os::Handle stream(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int segment = 536, buffer = 4096;
  if (width == Width::narrow) {
    ::setsockopt(stream.get(), IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof segment);
    ::setsockopt(stream.get(), SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
  }
  EXPECT_EQ(::connect(stream.get(), reinterpret_cast<sockaddr*>(&place), sizeof place), 0);
  return os::wire_over(std::move(stream));
}

/// Behind its first line the request says the token.
[[nodiscard]] inline std::string with_token(std::string request) {
  const std::size_t end = request.find("\r\n");
  if (end != request.npos) request.insert(end + 2, "Authorization: Bearer " + kToken + "\r\n");
  return request;
}

}  // namespace lazaret::test
