#include "backend/linux/control.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "os/error.hpp"

namespace lazaret::backend::native {
namespace {

struct alignas(cmsghdr) Space {
  std::array<char, CMSG_SPACE(sizeof(int) * kMostOrderHandles)> bytes{};
};

}  // namespace

bool send_message(int socket, std::span<const std::byte> message,
                  std::span<const int> handles) noexcept {
  iovec part{const_cast<std::byte*>(message.data()), message.size()};
  Space space;
  msghdr head{};
  head.msg_iov = &part;
  head.msg_iovlen = 1;
  if (!handles.empty()) {
    head.msg_control = space.bytes.data();
    head.msg_controllen = static_cast<socklen_t>(CMSG_SPACE(handles.size_bytes()));
    cmsghdr* const rights = CMSG_FIRSTHDR(&head);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = static_cast<socklen_t>(CMSG_LEN(handles.size_bytes()));
    ::memcpy(CMSG_DATA(rights), handles.data(), handles.size_bytes());
  }
  return ::sendmsg(socket, &head, MSG_NOSIGNAL) >= 0;
}

ssize_t receive_message(int socket, std::span<std::byte> message,
                        std::span<os::Handle> handles) noexcept {
  iovec part{message.data(), message.size()};
  Space space;
  msghdr head{};
  head.msg_iov = &part;
  head.msg_iovlen = 1;
  head.msg_control = space.bytes.data();
  head.msg_controllen = space.bytes.size();
  const ssize_t count = ::recvmsg(socket, &head, MSG_CMSG_CLOEXEC);
  const cmsghdr* const rights = count < 0 ? nullptr : CMSG_FIRSTHDR(&head);
  if (rights == nullptr || rights->cmsg_type != SCM_RIGHTS) return count;
  const std::size_t came = (rights->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  for (std::size_t index = 0; index < came; ++index) {
    int handle = -1;
    ::memcpy(&handle, CMSG_DATA(rights) + index * sizeof handle, sizeof handle);
    os::Handle held(handle);  // one that was not asked for is closed
    if (index < handles.size()) handles[index] = std::move(held);
  }
  return count;
}

Result<std::pair<os::Handle, os::Handle>> control_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return os::last_error("socketpair");
  return std::pair{os::Handle(ends[0]), os::Handle(ends[1])};
}

Answer failure_of(const char* step) noexcept {
  Answer answer;
  answer.code = errno;
  ::strncpy(answer.failed_step.data(), step, answer.failed_step.size() - 1);
  return answer;
}

}  // namespace lazaret::backend::native
