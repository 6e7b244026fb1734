#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace lazaret::rest {

/// Who wants to hear of each change until he leaves. On the loop's thread only; who is called may
/// remove himself and others.
class Watchers {
 public:
  using Id = std::uint64_t;

  Id add(std::function<void()> watcher) {
    watchers_.emplace(++last_, std::move(watcher));
    return last_;
  }
  void remove(Id id) { watchers_.erase(id); }
  void call() const {
    std::vector<Id> present;
    for (const auto& [id, watcher] : watchers_) present.push_back(id);
    for (const Id id : present) {
      const auto found = watchers_.find(id);
      if (found == watchers_.end()) continue;
      const std::function<void()> watcher = found->second;  // may remove itself
      watcher();
    }
  }
  [[nodiscard]] bool empty() const noexcept { return watchers_.empty(); }

 private:
  std::map<Id, std::function<void()>> watchers_;
  Id last_ = 0;
};

}  // namespace lazaret::rest
