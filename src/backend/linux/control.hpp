#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <utility>

#include "backend/linux/order.hpp"
#include "lazaret/result.hpp"
#include "os/handle.hpp"

/// What Lazaret and its spawner both do with the socket between them.
namespace lazaret::backend::native {

/// The bytes of a structure that is a message.
template <typename Message>
[[nodiscard]] std::span<const std::byte> raw(const Message& message) noexcept {
  return std::as_bytes(std::span(&message, 1));
}

/// One message, and with it descriptors, which stay the caller's (unix(7), SCM_RIGHTS); at most
/// kMostOrderHandles. False with errno.
[[nodiscard]] bool send_message(int socket, std::span<const std::byte> message,
                                std::span<const int> handles) noexcept;
/// The next message; the descriptors that came with it are close-on-exec. How many bytes it had, 0
/// at the end, -1 with errno.
[[nodiscard]] ssize_t receive_message(int socket, std::span<std::byte> message,
                                      std::span<os::Handle> handles) noexcept;

/// The two ends of what messages go by; both close on exec.
[[nodiscard]] Result<std::pair<os::Handle, os::Handle>> control_pair();

/// That a step has failed, for the reason that errno gives.
[[nodiscard]] Answer failure_of(const char* step) noexcept;

}  // namespace lazaret::backend::native
