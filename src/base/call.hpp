#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "lazaret/result.hpp"

namespace lazaret {

/// A point on the steady clock, or never. Suspend and NTP do not move it (P-09).
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] static Deadline never() noexcept { return Deadline{Clock::time_point::max()}; }
  /// A span below zero has passed already; one beyond the clock's range never will.
  [[nodiscard]] static Deadline after(std::chrono::milliseconds span) {
    const auto now = Clock::now();
    // In milliseconds: a long span does not fit into the clock's finer unit.
    const auto most =
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::time_point::max() - now);
    if (span >= most) return never();
    return Deadline{now + std::max(span, std::chrono::milliseconds{0})};
  }

  [[nodiscard]] bool is_never() const noexcept { return at_ == Clock::time_point::max(); }
  [[nodiscard]] bool passed() const { return !is_never() && Clock::now() >= at_; }
  /// Time that is left, rounded up to whole milliseconds; zero once passed; unset for never.
  [[nodiscard]] std::optional<std::chrono::milliseconds> left() const {
    if (is_never()) return std::nullopt;
    const auto rest = std::chrono::ceil<std::chrono::milliseconds>(at_ - Clock::now());
    return rest.count() < 0 ? std::chrono::milliseconds{0} : rest;
  }
  [[nodiscard]] Deadline earlier(Deadline other) const noexcept {
    return at_ <= other.at_ ? *this : other;
  }

 private:
  explicit Deadline(Clock::time_point at) noexcept : at_(at) {}
  Clock::time_point at_;
};

/// The bounds of one call: how long it may wait, and who may end it early. The last parameter of
/// anything that can wait.
struct Call {
  Deadline deadline = Deadline::never();
  std::stop_token stop;

  /// This call, but not longer than `span` from now.
  [[nodiscard]] Call within(std::chrono::milliseconds span) const {
    return {deadline.earlier(Deadline::after(span)), stop};
  }
  /// Errors: cancelled, timed_out.
  [[nodiscard]] Status check() const {
    if (stop.stop_requested()) return Error(Errc::cancelled, "cancelled");
    if (deadline.passed()) return Error(Errc::timed_out, "deadline passed");
    return {};
  }
};

}  // namespace lazaret
