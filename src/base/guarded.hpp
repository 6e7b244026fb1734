#pragma once

#include <mutex>
#include <utility>

namespace lazaret {

/// A value that cannot be touched without holding its lock.
template <typename T>
class Guarded {
 public:
  Guarded() = default;
  explicit Guarded(T value) : value_(std::move(value)) {}

  /// Calls `use(value)` under the lock. `use` must not call out.
  template <typename Use>
  decltype(auto) with(Use&& use) {
    const std::scoped_lock lock(mutex_);
    return std::forward<Use>(use)(value_);
  }

 private:
  std::mutex mutex_;
  T value_;
};

}  // namespace lazaret
