#include "os/linux/stream_options.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>

namespace lazaret::os {
namespace {

struct Option {
  int level, name, value;
};
constexpr std::array kStreamOptions = {
    Option{IPPROTO_TCP, TCP_NODELAY, 1},    Option{SOL_SOCKET, SO_KEEPALIVE, 1},
    Option{IPPROTO_TCP, TCP_KEEPIDLE, 60},   // seconds
    Option{IPPROTO_TCP, TCP_KEEPINTVL, 10},  // seconds
    Option{IPPROTO_TCP, TCP_KEEPCNT, 3},
    Option{IPPROTO_TCP, TCP_NOTSENT_LOWAT, 128 * 1024},  // bytes
};

}  // namespace

void prepare_stream(int descriptor) noexcept {
  for (const auto& [level, name, value] : kStreamOptions)
    (void)::setsockopt(descriptor, level, name, &value, sizeof value);
}

}  // namespace lazaret::os
