#pragma once

#include "backend/linux/order.hpp"

namespace lazaret::backend::native {

/// All that the first process of a box needs. Descriptors: the wire is 0 and 1, `go` tells that the
/// id maps are written, by `exit` leaves the socket of the order's way out, if it has one, and
/// everything else is closed on the way.
struct BoxPlan {
  const Foundation& foundation;
  const Order& order;
  int go;
  int exit;
  bool shares_network;
};

/// Becomes the runner inside the box that the calling process was cloned into. A step that fails is
/// told to the host in place of the runner's hello, and nothing is run.
[[noreturn]] void become_runner(const BoxPlan& plan);

}  // namespace lazaret::backend::native
