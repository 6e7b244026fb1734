#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

namespace lazaret::rest {

/// What is to be done, and whether nobody wants it any more, which may be asked on any thread.
struct Task {
  std::function<void()> work;
  std::function<bool()> given_up = {};

  [[nodiscard]] static bool is_given_up(const Task& task) {
    return task.given_up && task.given_up();
  }
};

/// Threads for calls that block: made when they are needed, `most` at the same time, with at most
/// `waiting` tasks in line. Whichever has nothing to do for as long as `idle` ends, but for the
/// last. The destructor waits for the tasks under way and drops the others.
class Workers {
 public:
  Workers(unsigned most, std::size_t waiting,
          std::chrono::milliseconds idle = std::chrono::seconds(5))
      : most_(most), waiting_(waiting), longest_(idle) {}
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();

  /// False when the line is full of what somebody wants, where the system has no thread for any
  /// task, and for one that comes while the destructor waits. Tasks do not throw.
  [[nodiscard]] bool submit(Task task);
  [[nodiscard]] bool submit(std::function<void()> work) { return submit(Task{std::move(work)}); }

 private:
  using Thread = std::list<std::jthread>::iterator;

  void work(Thread self);
  [[nodiscard]] bool wait(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] bool is_full();
  [[nodiscard]] bool begin_thread();

  const unsigned most_;
  const std::size_t waiting_;
  const std::chrono::milliseconds longest_;  // that a thread is idle
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> line_;
  std::size_t idle_ = 0;
  std::size_t under_way_ = 0;  // in the line or with a thread
  bool over_ = false;
  std::list<std::jthread> gone_;     // or about to be: they touch nothing any more
  std::list<std::jthread> threads_;  // last: they use everything above
};

}  // namespace lazaret::rest
