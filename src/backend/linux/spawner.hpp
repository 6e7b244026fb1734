#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <span>

#include "backend/linux/order.hpp"
#include "base/bytes.hpp"
#include "base/call.hpp"
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
  /// Starts the process and lays the ground of its boxes. Errors: permission_denied or unsupported
  /// when this host refuses namespaces; system, with the name of the step.
  [[nodiscard]] static Result<std::unique_ptr<Spawner>> start(const Foundation& foundation,
                                                              const Call& call);
  Spawner(const Spawner&) = delete;
  Spawner& operator=(const Spawner&) = delete;
  ~Spawner();

  /// What a box is given: its end of the stream, and the directory of its cgroup or -1.
  struct Belongings {
    int wire;
    int cgroup;
  };
  /// Clones a box, which says hello, or which step failed, over the wire. Errors: connection_lost
  /// when the spawner is no more, has owed an answer or is a parent's; timed_out, cancelled,
  /// system.
  [[nodiscard]] Result<Launched> make(const Order& order, const Belongings& belongings,
                                      const Call& call);
  /// Who its boxes are on the host.
  [[nodiscard]] const Foundation& foundation() const noexcept { return foundation_; }

 private:
  Spawner(const Foundation& foundation, os::Handle process, os::Handle control)
      : foundation_(foundation),
        owner_(::getpid()),
        process_(std::move(process)),
        control_(std::move(control)) {}
  [[nodiscard]] Status prepare(pid_t pid, const Call& call);
  [[nodiscard]] Result<os::Handle> converse(const Order& order, std::span<const int> handles,
                                            const Call& call);

  Foundation foundation_;

  pid_t owner_;
  os::Handle process_;       // pidfd
  std::mutex conversation_;  // one question and its answer at a time
  os::Handle control_;
  std::atomic<bool> retired_ = false;  // an answer was missed
};

/// Ends a box's first process and everything in its pid namespace, and waits until it is gone; for
/// its epitaph a moment longer.
[[nodiscard]] Status end(const Launched& launched, const Call& call);

}  // namespace lazaret::backend::native
