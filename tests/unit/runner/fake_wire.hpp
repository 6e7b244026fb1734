#pragma once

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/wire.hpp"
#include "runner/frame.hpp"
#include "runner/message.hpp"

namespace lazaret::runner::test {

struct Heard {
  FrameType type;
  std::string payload;
};

/// The host's end of a wire whose runner is a function: it is called with each frame that the host
/// has sent, on the host's thread, and answers with say(). A read with nothing to read waits for
/// the call's own bounds, as a real wire does.
class FakeWire final : public Wire {
 public:
  using Runner = std::function<void(FakeWire& wire, const Heard& frame)>;
  explicit FakeWire(Runner runner = {}) : runner_(std::move(runner)) {}

  void say(FrameType type, Bytes payload) { say_bytes(encode_frame(type, payload)); }
  void say(FrameType type, std::string_view payload) { say(type, bytes_of(payload)); }
  void say_bytes(Bytes bytes) {
    const std::scoped_lock lock(mutex_);
    said_.insert(said_.end(), bytes.begin(), bytes.end());
    changed_.notify_all();
  }
  /// After what has been said, the stream ends.
  void hang_up() {
    const std::scoped_lock lock(mutex_);
    hung_up_ = true;
    changed_.notify_all();
  }
  /// From now on writes fail with this.
  void refuse_writes(Errc code) {
    const std::scoped_lock lock(mutex_);
    refusal_ = code;
  }
  /// From now on a frame of this type is never taken: its write waits for the call's own bounds.
  void stall_on(FrameType type) {
    const std::scoped_lock lock(mutex_);
    stalled_ = type;
  }
  /// Waits until such a write does.
  void wait_for_stall() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stalling_; });
  }
  void give_pieces_of(std::size_t bytes) { piece_bytes_ = bytes; }
  void on_read(std::function<void()> watcher) { watcher_ = std::move(watcher); }

  [[nodiscard]] std::vector<Heard> heard() {
    const std::scoped_lock lock(mutex_);
    return heard_;
  }
  [[nodiscard]] std::size_t count(FrameType type) {
    const auto frames = heard();
    return static_cast<std::size_t>(std::count_if(
        frames.begin(), frames.end(), [type](const Heard& frame) { return frame.type == type; }));
  }

  Result<std::size_t> read(std::span<std::byte> into, const Call& call) override {
    if (watcher_) watcher_();
    std::unique_lock lock(mutex_);
    const auto ready = [this] { return !said_.empty() || hung_up_; };
    // Waiting for ever is a bug of the caller's, shown as a failed test.
    const auto bound = call.deadline.left().value_or(std::chrono::seconds(20));
    if (!changed_.wait_for(lock, call.stop, bound, ready)) {
      if (call.stop.stop_requested()) return Error(Errc::cancelled, "cancelled");
      return Error(Errc::timed_out, "deadline passed");
    }
    const std::size_t count = std::min({said_.size(), into.size(), piece_bytes_});
    std::copy_n(said_.begin(), count, into.begin());
    said_.erase(said_.begin(), said_.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
  }
  Status write(Bytes bytes, const Call& call) override {
    if (is_stalled(bytes)) return wait_out(call);
    for (const Heard& frame : take(bytes)) {
      if (runner_) runner_(*this, frame);
    }
    const std::scoped_lock lock(mutex_);
    if (refusal_) return Error(*refusal_, "refused");
    return {};
  }
  Status close_write() override { return {}; }

 private:
  bool is_stalled(Bytes frame) {
    constexpr std::size_t kType = 4;  // of a frame's header
    const std::scoped_lock lock(mutex_);
    return stalled_ && frame.size() > kType && frame[kType] == static_cast<std::byte>(*stalled_);
  }
  Status wait_out(const Call& call) {
    std::unique_lock lock(mutex_);
    stalling_ = true;
    changed_.notify_all();
    const auto bound = call.deadline.left().value_or(std::chrono::seconds(20));
    changed_.wait_for(lock, call.stop, bound, [] { return false; });
    if (call.stop.stop_requested()) return Error(Errc::cancelled, "cancelled");
    return Error(Errc::timed_out, "deadline passed");
  }
  std::vector<Heard> take(Bytes bytes) {
    const std::scoped_lock lock(mutex_);
    std::vector<Heard> frames;
    if (refusal_) return frames;
    while (!bytes.empty()) {
      const auto space = reader_.space();
      const std::size_t count = std::min(space.size(), bytes.size());
      std::copy_n(bytes.begin(), count, space.begin());
      reader_.commit(count);
      bytes = bytes.subspan(count);
    }
    for (auto frame = reader_.next(); frame.ok() && *frame; frame = reader_.next()) {
      frames.push_back({(*frame)->type, std::string(text_of((*frame)->payload))});
    }
    heard_.insert(heard_.end(), frames.begin(), frames.end());
    return frames;
  }

  Runner runner_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::byte> said_;
  std::vector<Heard> heard_;
  FrameReader reader_{Direction::to_runner};
  std::optional<Errc> refusal_;
  std::function<void()> watcher_;
  std::size_t piece_bytes_ = SIZE_MAX;
  bool hung_up_ = false;
  std::optional<FrameType> stalled_;
  bool stalling_ = false;
};

}  // namespace lazaret::runner::test
