#pragma once

#include <poll.h>

#include <span>

#include "base/call.hpp"

namespace lazaret::os {

/// poll(2) until one of `entries` has an event, the deadline passes or the stop token is triggered.
/// EINTR is waited through. Errors: timed_out, cancelled, system.
[[nodiscard]] Status wait_any(std::span<pollfd> entries, const Call& call);
/// The same for one descriptor.
[[nodiscard]] Status wait_for(int descriptor, short events, const Call& call);

}  // namespace lazaret::os
