#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace lazaret {

/// Steps that take back what was built so far, run in reverse order unless released.
class Undo {
 public:
  Undo() = default;
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;
  ~Undo() { run(); }

  void add(std::function<void()> step) { steps_.push_back(std::move(step)); }
  void release() noexcept { steps_.clear(); }

 private:
  void run() noexcept {
    for (; !steps_.empty(); steps_.pop_back()) steps_.back()();
  }
  std::vector<std::function<void()>> steps_;
};

}  // namespace lazaret
