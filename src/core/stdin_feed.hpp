#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "base/condition.hpp"
#include "lazaret/request.hpp"
#include "policy/spec.hpp"
#include "runner/client.hpp"

namespace lazaret::core {

/// Carries standard input to the program as fast as it takes it. The destructor stops its thread;
/// the source is told by its stop token and must return soon.
class StdinFeed {
 public:
  /// Borrows both. Without any input the program reads end-of-file at once. What is neither a
  /// terminal's nor relayed is cut at 1 MiB.
  StdinFeed(runner::Client& client, const ExecutionRequest& request, const Call& call,
            policy::Streams streams = policy::Streams::kept);
  StdinFeed(const StdinFeed&) = delete;
  StdinFeed& operator=(const StdinFeed&) = delete;

  /// The program has taken this many bytes.
  void credit(std::uint32_t bytes);
  /// Why the program has not had all of it, if that is so: more came than the limit lets through,
  /// or there was no thread to carry it.
  [[nodiscard]] std::string trouble();

 private:
  void carry(const std::stop_token& stop);
  [[nodiscard]] bool send(std::string_view piece, const std::stop_token& stop);
  [[nodiscard]] std::size_t take_window(std::size_t wanted, const std::stop_token& stop);

  runner::Client& client_;
  const ExecutionRequest& request_;
  Deadline deadline_;
  bool is_bounded_;
  std::mutex mutex_;
  Condition changed_;
  std::size_t window_ = runner::kStdinWindow;
  std::uint64_t sent_bytes_ = 0;
  std::string trouble_;
  std::jthread thread_;  // last: it uses everything above
};

}  // namespace lazaret::core
