#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "backend/linux/cgroup_base.hpp"
#include "backend/linux/foundation.hpp"
#include "backend/linux/observe.hpp"
#include "backend/linux/order.hpp"
#include "base/bytes.hpp"
#include "base/call.hpp"
#include "base/turn.hpp"
#include "lazaret/result.hpp"
#include "os/handle.hpp"

namespace lazaret::backend::native {

/// The first process of a box that is being made, and how we hear of its end.
struct Launched {
  pid_t pid = -1;  ///< as we see it; the descriptor, not the number, names the process (P-05)
  os::Handle pidfd;
  os::Handle epitaph;  ///< readable once the box is over: an Epitaph, or the stream's end
};

/// A small single-threaded process that makes boxes by cloning itself (P-55): what a box costs does
/// not grow with the program that asks, and nothing of that program is in it. Its end is the end of
/// all its boxes. Thread-safe.
class Spawner {
 public:
  /// Starts the process, which makes its namespaces while its caller looks at the host. Errors:
  /// permission_denied, system.
  [[nodiscard]] static Result<std::unique_ptr<Spawner>> begin(const Identity& identity);
  Spawner(const Spawner&) = delete;
  Spawner& operator=(const Spawner&) = delete;
  ~Spawner();

  /// Lays the ground of its boxes, once, before the first. Where the `callers` cgroups are none or
  /// not theirs to give, a scope of its own is asked for. Errors: permission_denied or unsupported
  /// when this host refuses namespaces; system, with the name of the step.
  [[nodiscard]] Status lay_ground(const Foundation& foundation, const CgroupBase& callers,
                                  const Call& call);

  /// What a box is given: its end of the stream; the directory of its cgroup, and where the socket
  /// of its way out leaves, or -1.
  struct Belongings {
    int wire;
    int cgroup;
    int exit;
  };
  /// Clones a box, which says hello, or which step failed, over the wire. Errors: connection_lost
  /// when the spawner is no more, has owed an answer or is a parent's; timed_out, cancelled,
  /// system.
  [[nodiscard]] Result<Launched> make(const Order& order, const Belongings& belongings,
                                      const Call& call);
  /// Ends its last box and itself; the destructor waits for both.
  [[nodiscard]] Status let_go(const Launched& last);
  /// It makes no more boxes, and its end is not waited for: one of them does not end.
  void retire() noexcept { retired_ = true; }
  /// Where its boxes may have cgroups; the better of the two. A scope goes with the spawner.
  [[nodiscard]] const CgroupBase& better_of(const CgroupBase& callers) const noexcept;
  /// Whether there is no use in asking it again: it is gone, owes an answer or is a parent's.
  [[nodiscard]] bool is_spent() const;
  /// Whether the host has put something else in the place of what its boxes are shown; what it did
  /// in the last 20 ms may not be seen yet.
  [[nodiscard]] bool is_stale() const;
  /// Whether its boxes are who another's are, and have cgroups where that one's have.
  [[nodiscard]] bool holds_like(const Spawner& other) const noexcept;
  /// Who its boxes are on the host.
  [[nodiscard]] const Foundation& foundation() const noexcept { return foundation_; }
  /// Of the thread that began it: none of its boxes is to have one of these.
  [[nodiscard]] const Namespaces& outside() const noexcept { return outside_; }
  /// Its own, of which none of its boxes is to have one either.
  [[nodiscard]] const Namespaces& own() const noexcept { return own_; }

 private:
  Spawner(const Identity& identity, Namespaces outside, pid_t pid, os::Handle process,
          os::Handle control)
      : outside_(std::move(outside)),
        owner_(::getpid()),
        pid_(pid),
        process_(std::move(process)),
        control_(std::move(control)) {
    foundation_.identity = identity;
  }
  [[nodiscard]] Result<os::Handle> converse(const Order& order, std::span<const int> handles,
                                            const Call& call);

  Foundation foundation_;
  Namespaces outside_, own_;
  CgroupBase scope_;

  pid_t owner_;
  pid_t pid_;
  os::Handle process_;  // pidfd
  Turn conversation_;   // one question and its answer at a time
  os::Handle control_;
  std::atomic<bool> retired_ = false;  // an answer was missed, or an end
  mutable std::atomic<std::chrono::steady_clock::time_point> looked_at_{};  // and found to hold
};

/// Has the kernel end a box's first process, and with it everything in its pid namespace.
[[nodiscard]] Status kill_first(const Launched& launched);

/// Ends a box's first process and everything in its pid namespace, and waits until it is gone; for
/// its epitaph a moment longer.
[[nodiscard]] Status end(const Launched& launched, const Call& call);

}  // namespace lazaret::backend::native
