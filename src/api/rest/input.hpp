#pragma once

#include <mutex>
#include <stop_token>
#include <string>

#include "base/condition.hpp"

namespace lazaret::rest {

/// Standard input on its way from a client to the worker of its run. Holds one byte more than a run
/// takes, 1 MiB, so that the run sees that it was cut; the rest is dropped. What is typed at a
/// terminal has no end: of that 2 MiB may wait. Thread-safe.
class Input {
 public:
  enum class Of { stream, terminal };
  explicit Input(Of of) : of_(of) {}

  /// False where too much waits, and this is lost.
  [[nodiscard]] bool put(std::string_view bytes);
  void end();
  /// Waits for bytes; empty at the end, or once `stop` is requested.
  [[nodiscard]] std::string take(const std::stop_token& stop);

 private:
  const Of of_;
  std::mutex mutex_;
  Condition changed_;
  std::string bytes_;
  std::size_t total_bytes_ = 0;  // of a stream
  bool over_ = false;
};

}  // namespace lazaret::rest
