#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "base/call.hpp"
#include "base/condition.hpp"
#include "lazaret/result.hpp"

namespace lazaret::rest {

/// Bytes on their way between the loop, which never waits, and a worker, who does; one way. Bounded
/// where the loop looks for room before it puts. Thread-safe.
class Channel {
 public:
  static constexpr std::size_t kMostBytes = 256UL << 10;

  /// `moved` is called on the worker's thread when it has put or taken something.
  explicit Channel(std::function<void()> moved) : moved_(std::move(moved)) {}
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  [[nodiscard]] bool has_room() const;
  void put(std::string bytes);
  /// The next piece, unless there is none yet, or no more.
  [[nodiscard]] std::optional<std::string> next();
  /// Whether all has been taken, and no more will come.
  [[nodiscard]] bool over() const;
  /// The same, because it failed.
  [[nodiscard]] bool failed() const;

  /// Waits for room. Errors: those of the call, whether or not there is room, and why the channel
  /// failed.
  [[nodiscard]] Status send(std::string bytes, const Call& call);
  /// Waits for a piece; empty at the end. Errors: as above.
  [[nodiscard]] Result<std::string> receive(const Call& call);

  /// Nothing more will be put.
  void end();
  /// Nothing more is put, and a worker takes nothing more; the first reason stays.
  void fail(Error why);

 private:
  template <typename Ready>
  [[nodiscard]] Status await(std::unique_lock<std::mutex>& lock, const Call& call, Ready ready);

  const std::function<void()> moved_;
  mutable std::mutex mutex_;
  Condition changed_;
  std::deque<std::string> pieces_;
  std::size_t bytes_ = 0;  // of them
  bool ended_ = false;
  std::optional<Error> failure_;
};

}  // namespace lazaret::rest
