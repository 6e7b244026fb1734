#include "core/stdin_feed.hpp"

#include <algorithm>
#include <system_error>

namespace lazaret::core {
namespace {

constexpr std::uint64_t kMostStdinBytes = 1UL << 20;

}  // namespace

StdinFeed::StdinFeed(runner::Client& client, const ExecutionRequest& request, const Call& call,
                     policy::Streams streams)
    : client_(client),
      request_(request),
      deadline_(call.deadline),
      is_bounded_(!request.terminal && streams == policy::Streams::kept) {
  if (request.stdin_data.empty() && !request.stdin_source) {
    // A wire that is broken shows on the reading side; there is nobody else to tell.
    (void)client_.end_stdin(call).ok();
    return;
  }
  const auto run = [this](const std::stop_token& stop) {
    try {
      carry(stop);
    } catch (...) {  // the caller's source has failed: the program sees the end of its input
      (void)client_.end_stdin({deadline_, stop}).ok();
    }
  };
  try {
    thread_ = std::jthread(run);
  } catch (const std::system_error& refused) {
    trouble_ = std::string("standard input was not given, for want of a thread: ") + refused.what();
    (void)client_.end_stdin(call).ok();
  }
}

void StdinFeed::credit(std::uint32_t bytes) {
  const std::scoped_lock lock(mutex_);
  window_ = std::min<std::size_t>(window_ + bytes, runner::kStdinWindow);
  changed_.notify_all();
}

std::string StdinFeed::trouble() {
  const std::scoped_lock lock(mutex_);
  return trouble_;
}

std::size_t StdinFeed::take_window(std::size_t wanted, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait(lock, stop, [this] { return window_ > 0; })) return 0;
  const std::size_t granted = std::min(wanted, window_);
  window_ -= granted;
  return granted;
}

bool StdinFeed::send(std::string_view piece, const std::stop_token& stop) {
  if (is_bounded_ && sent_bytes_ + piece.size() > kMostStdinBytes) {
    const std::scoped_lock lock(mutex_);
    trouble_ = "standard input was cut at 1 MiB";
    piece = piece.substr(0, kMostStdinBytes - sent_bytes_);
  }
  sent_bytes_ += piece.size();
  while (!piece.empty()) {
    const std::size_t size = take_window(piece.size(), stop);
    if (size == 0 || !client_.send_stdin(bytes_of(piece.substr(0, size)), {deadline_, stop}).ok())
      return false;
    piece.remove_prefix(size);
  }
  return trouble().empty();
}

void StdinFeed::carry(const std::stop_token& stop) {
  bool more = send(request_.stdin_data, stop);
  while (more && request_.stdin_source) {
    const std::string piece = request_.stdin_source(stop);
    if (piece.empty()) break;
    more = send(piece, stop);
  }
  (void)client_.end_stdin({deadline_, stop}).ok();
}

}  // namespace lazaret::core
