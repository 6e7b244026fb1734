#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "api/rest/workers.hpp"

namespace lazaret::rest {

/// Tasks that wait for each other rather than for a worker: one at a time, in their order. Shared
/// with the workers that see to them. Thread-safe.
class Lane : public std::enable_shared_from_this<Lane> {
 public:
  /// `waiting` of them in line, besides the one under way.
  Lane(Workers& workers, std::size_t waiting) : workers_(workers), waiting_(waiting) {}

  /// False when the line is full of what somebody wants, here or before the workers. Tasks do not
  /// throw.
  [[nodiscard]] bool submit(Task task);
  [[nodiscard]] bool submit(std::function<void()> work) { return submit(Task{std::move(work)}); }
  [[nodiscard]] bool busy() const;

 private:
  void work();
  [[nodiscard]] bool is_full();
  [[nodiscard]] bool go_on();

  Workers& workers_;
  const std::size_t waiting_;
  mutable std::mutex mutex_;
  std::deque<Task> line_;  // the first may be under way
  bool busy_ = false;
};

}  // namespace lazaret::rest
