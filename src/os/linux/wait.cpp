#include "os/linux/wait.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <vector>

#include "base/try.hpp"
#include "os/error.hpp"
#include "os/handle.hpp"

namespace lazaret::os {
namespace {

int timeout_of(const Call& call) {
  const auto left = call.deadline.left();
  if (!left) return -1;
  return left->count() > INT_MAX ? INT_MAX : static_cast<int>(left->count());
}

Status poll_until(std::span<pollfd> entries, const Call& call) {
  for (;;) {
    const int count = ::poll(entries.data(), entries.size(), timeout_of(call));
    if (count > 0) return {};
    if (count < 0 && errno != EINTR) return last_error("poll");
    LAZARET_CHECK(call.check());
  }
}

}  // namespace

Status wait_any(std::span<pollfd> entries, const Call& call) {
  if (!call.stop.stop_possible()) return poll_until(entries, call);
  LAZARET_CHECK(call.check());
  const Handle bell(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!bell.valid()) return last_error("eventfd");
  const std::stop_callback ring(call.stop, [&bell] { (void)::eventfd_write(bell.get(), 1); });
  std::vector<pollfd> all(entries.begin(), entries.end());
  all.push_back({bell.get(), POLLIN, 0});
  LAZARET_CHECK(poll_until(all, call));
  std::copy_n(all.begin(), entries.size(), entries.begin());
  if (all.back().revents != 0) return Error(Errc::cancelled, "cancelled");
  return {};
}

Status wait_for(int descriptor, short events, const Call& call) {
  pollfd entry{descriptor, events, 0};
  return wait_any({&entry, 1}, call);
}

}  // namespace lazaret::os
