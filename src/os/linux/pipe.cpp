#include "os/pipe.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/try.hpp"
#include "os/error.hpp"
#include "os/linux/wait.hpp"

namespace lazaret::os {
namespace {

constexpr std::size_t kMostWatches = 16;

pollfd entry_for(const Watch& watch) {
  const int events = (watch.want_read ? POLLIN : 0) | (watch.want_write ? POLLOUT : 0);
  // poll(2) ignores negative descriptors; one with nothing wanted would only report hang-ups.
  return {events == 0 ? -1 : watch.handle, static_cast<short>(events), 0};
}

}  // namespace

Result<std::pair<Handle, Handle>> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return last_error("pipe2");
  return std::pair{Handle(ends[0]), Handle(ends[1])};
}

Status set_nonblocking(RawHandle handle) {
  const int flags = ::fcntl(handle, F_GETFL);
  if (flags < 0 || ::fcntl(handle, F_SETFL, flags | O_NONBLOCK) != 0) return last_error("fcntl");
  return {};
}

// WHY not as wide as it may be: what all pipes of a user hold together is bounded too.
void widen(RawHandle pipe) noexcept {
  constexpr int kWide = 256 << 10;
  (void)::fcntl(pipe, F_SETPIPE_SZ, kWide);
}

Result<std::optional<std::size_t>> read_now(RawHandle handle, std::span<std::byte> into) {
  for (;;) {
    const ssize_t count = ::read(handle, into.data(), into.size());
    if (count >= 0) return std::optional(static_cast<std::size_t>(count));
    if (errno == EAGAIN) return std::optional<std::size_t>();
    if (errno != EINTR) return last_error("read");
  }
}

Result<std::size_t> write_now(RawHandle handle, Bytes bytes) {
  for (;;) {
    const ssize_t count = ::write(handle, bytes.data(), bytes.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EAGAIN) return std::size_t{0};
    if (errno != EINTR) return last_error("write");
  }
}

Result<std::optional<std::size_t>> move_now(RawHandle pipe, RawHandle to, std::size_t most) {
  for (;;) {
    const ssize_t count = ::splice(pipe, nullptr, to, nullptr, most, SPLICE_F_NONBLOCK);
    if (count >= 0) return std::optional(static_cast<std::size_t>(count));
    if (errno == EAGAIN) return std::optional<std::size_t>();
    if (errno != EINTR) return last_error("splice");
  }
}

bool is_socket(RawHandle handle) noexcept {
  struct stat seen {};
  return ::fstat(handle, &seen) == 0 && S_ISSOCK(seen.st_mode);
}

Status wait_ready(std::span<Watch> watches, const Call& call) {
  std::array<pollfd, kMostWatches> entries{};
  if (watches.size() > entries.size()) return Error(Errc::too_large, "too many watches");
  for (std::size_t index = 0; index < watches.size(); ++index) {
    entries[index] = entry_for(watches[index]);
  }
  LAZARET_CHECK(wait_any(std::span(entries).first(watches.size()), call));
  for (std::size_t index = 0; index < watches.size(); ++index) {
    watches[index].ready = entries[index].revents != 0;
  }
  return {};
}

}  // namespace lazaret::os
