#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/condition.hpp"
#include "lazaret/session.hpp"
#include "runner/message.hpp"

namespace lazaret::core {

/// Who wants to be told what changes in a session. Thread-safe.
class Watchers {
 public:
  /// One of them: what he has not been told yet, as far as there is room for it.
  class Watcher {
   public:
    /// What has come since, or comes until `at`; nothing at the stop.
    [[nodiscard]] std::vector<FileChange> wait(std::chrono::steady_clock::time_point at,
                                               const std::stop_token& stop);

    explicit Watcher(std::string path) : path_(std::move(path)) {}

   private:
    friend class Watchers;
    void add(const FileChange& change);

    const std::string path_;
    std::mutex mutex_;
    Condition came_;
    std::deque<FileChange> changes_;
    std::size_t bytes_ = 0;  // of their names
  };

  /// Told what concerns the path from now on, as long as he is kept; that it has begun, once it
  /// has.
  [[nodiscard]] std::shared_ptr<Watcher> join(const std::string& path);
  /// A box says it, and may say anything.
  void tell(const runner::Event& event);
  /// Why nobody is told anything: an errno of the box's.
  [[nodiscard]] std::optional<int> failure() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<Watcher>> all_;
  bool has_begun_ = false;
  std::optional<int> failure_;
};

/// Whether it is about what lies at or below the path, "." for everything.
[[nodiscard]] bool concerns(const FileChange& change, const std::string& path);

}  // namespace lazaret::core
