#include "api/rest/input.hpp"

#include <algorithm>

namespace lazaret::rest {
namespace {

constexpr std::size_t kMostBytes = (1UL << 20) + 1;
constexpr std::size_t kMostTyped = 2UL << 20, kPieceBytes = 64UL << 10;

}  // namespace

bool Input::put(std::string_view bytes) {
  const std::scoped_lock lock(mutex_);
  if (of_ == Of::terminal && bytes.size() > kMostTyped - bytes_.size()) return false;
  if (of_ == Of::stream) bytes = bytes.substr(0, kMostBytes - total_bytes_);
  total_bytes_ += bytes.size();
  bytes_ += bytes;
  changed_.notify_all();
  return true;
}

void Input::end() {
  const std::scoped_lock lock(mutex_);
  over_ = true;
  changed_.notify_all();
}

std::string Input::take(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  (void)changed_.wait(lock, stop, [this] { return over_ || !bytes_.empty(); });
  std::string piece = bytes_.substr(0, kPieceBytes);
  bytes_.erase(0, piece.size());
  return piece;
}

}  // namespace lazaret::rest
