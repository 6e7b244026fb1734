#include "api/rest/channel.hpp"

#include <utility>

#include "base/try.hpp"

namespace lazaret::rest {
namespace {

// Of many small ones one is made, up to this: each takes memory of its own.
constexpr std::size_t kJoinedBytes = 64UL << 10;

}  // namespace

bool Channel::has_room() const {
  const std::scoped_lock lock(mutex_);
  return bytes_ < kMostBytes;
}

void Channel::put(std::string bytes) {
  {
    const std::scoped_lock lock(mutex_);
    if (failure_ || bytes.empty()) return;
    bytes_ += bytes.size();
    if (!pieces_.empty() && pieces_.back().size() + bytes.size() <= kJoinedBytes)
      pieces_.back() += bytes;
    else
      pieces_.push_back(std::move(bytes));
  }
  changed_.notify_all();
}

std::optional<std::string> Channel::next() {
  std::optional<std::string> piece;
  {
    const std::scoped_lock lock(mutex_);
    if (pieces_.empty()) return std::nullopt;
    piece = std::move(pieces_.front());
    pieces_.pop_front();
    bytes_ -= piece->size();
  }
  changed_.notify_all();
  return piece;
}

bool Channel::over() const {
  const std::scoped_lock lock(mutex_);
  return ended_ && pieces_.empty();
}

bool Channel::failed() const {
  const std::scoped_lock lock(mutex_);
  return failure_ && pieces_.empty();
}

template <typename Ready>
Status Channel::await(std::unique_lock<std::mutex>& lock, const Call& call, Ready ready) {
  const auto settled = [this, &ready] { return failure_.has_value() || ready(); };
  if (const auto left = call.deadline.left())
    (void)changed_.wait_until(lock, call.stop, std::chrono::steady_clock::now() + *left, settled);
  else
    (void)changed_.wait(lock, call.stop, settled);
  if (failure_) return *failure_;
  return call.check();
}

Status Channel::send(std::string bytes, const Call& call) {
  {
    std::unique_lock lock(mutex_);
    LAZARET_CHECK(await(lock, call, [this] { return bytes_ < kMostBytes; }));
    bytes_ += bytes.size();
    pieces_.push_back(std::move(bytes));
  }
  moved_();
  return {};
}

Result<std::string> Channel::receive(const Call& call) {
  std::string piece;
  {
    std::unique_lock lock(mutex_);
    LAZARET_CHECK(await(lock, call, [this] { return ended_ || !pieces_.empty(); }));
    if (pieces_.empty()) return piece;
    piece = std::move(pieces_.front());
    pieces_.pop_front();
    bytes_ -= piece.size();
  }
  moved_();
  return piece;
}

void Channel::end() {
  {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(ended_, true)) return;
  }
  changed_.notify_all();
  moved_();
}

void Channel::fail(Error why) {
  {
    const std::scoped_lock lock(mutex_);
    if (failure_) return;
    failure_ = std::move(why);
  }
  changed_.notify_all();
  moved_();
}

}  // namespace lazaret::rest
