#pragma once

#include <cstddef>
#include <mutex>
#include <stop_token>

#include "base/condition.hpp"

namespace lazaret::rest {

/// How much of a terminal's output is on its way to a client. A worker that brings more than the
/// client has taken waits for a moment, since its run's time limit must hold all the same.
/// Thread-safe.
class Current {
 public:
  /// More is on its way. Returns soon; false where the client is hopelessly behind: then it is not.
  [[nodiscard]] bool bring(std::size_t bytes, const std::stop_token& stop);
  /// The client has taken that much.
  void take(std::size_t bytes);

 private:
  std::mutex mutex_;
  Condition changed_;
  std::size_t bytes_ = 0;
};

}  // namespace lazaret::rest
