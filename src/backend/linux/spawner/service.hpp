#pragma once

#include <sys/types.h>

#include <array>
#include <span>
#include <vector>

#include "backend/linux/order.hpp"
#include "backend/linux/spawner/networks.hpp"
#include "os/handle.hpp"

namespace lazaret::backend::native {

/// The spawner's life after the ground is laid: makes a box for each order, and buries each box's
/// first process. Single-threaded; never blocks on a box.
class Service {
 public:
  struct Watched {
    os::Handle control;   ///< our end of the socket
    os::Handle children;  ///< readable when one has ended
    os::Handle owner;     ///< readable when Lazaret has ended
  };
  Service(Watched watched, const Foundation& foundation, Networks networks);

  /// Returns when Lazaret has closed its end or ended. The boxes die with the calling process.
  void run();

 private:
  struct Received {
    Order order;
    std::array<os::Handle, kMostOrderHandles> handles;  // wire, epitaph, and what the order says
  };
  struct Ward {
    pid_t pid;
    os::Handle epitaph;
    os::Handle network;
  };

  [[nodiscard]] bool take_order();
  [[nodiscard]] bool receive(Received& received) const;
  [[nodiscard]] bool make_box(Received& received);
  [[nodiscard]] bool answer(const Answer& answer, std::span<const int> handles) const;
  [[nodiscard]] bool refuse(const char* step) const;
  [[nodiscard]] bool may_share(const Order& order) const;
  [[nodiscard]] const char* fit_out(pid_t pid, const Order& order) const;
  [[nodiscard]] bool bind_processors(pid_t pid, const Processors& processors) const;
  void bury();

  Watched watched_;
  const Foundation& foundation_;
  std::vector<Ward> wards_;
  Networks networks_;
  const Processors own_processors_;  // which boxes inherit
};

}  // namespace lazaret::backend::native
