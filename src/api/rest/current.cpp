#include "api/rest/current.hpp"

#include <algorithm>
#include <chrono>

namespace lazaret::rest {
namespace {

constexpr std::size_t kMuch = 256UL << 10, kTooMuch = 4UL << 20;
constexpr std::chrono::milliseconds kPatience{100};

}  // namespace

bool Current::bring(std::size_t bytes, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (bytes > kTooMuch - bytes_) return false;
  bytes_ += bytes;
  const auto until = std::chrono::steady_clock::now() + kPatience;
  (void)changed_.wait_until(lock, stop, until, [this] { return bytes_ <= kMuch; });
  return true;
}

void Current::take(std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  bytes_ -= std::min(bytes, bytes_);
  changed_.notify_all();
}

}  // namespace lazaret::rest
