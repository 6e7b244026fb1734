#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>

#include "base/condition.hpp"
#include "os/init.hpp"

namespace lazaret::core {

/// Names that one thread of this process at a time may hold, so that what is made under a name is
/// made once. A fork, which knows nothing of who holds them there, waits for nobody.
class Turns {
 public:
  /// A name, until this goes; the turns must outlive it.
  class Held {
   public:
    Held(Turns* turns, std::string name) : turns_(turns), name_(std::move(name)) {}
    Held(Held&& other) noexcept : turns_(std::exchange(other.turns_, nullptr)) {
      name_.swap(other.name_);
    }
    Held& operator=(Held&&) = delete;
    ~Held() {
      if (turns_ != nullptr) turns_->give_back(name_);
    }

   private:
    Turns* turns_;
    std::string name_;
  };

  /// Waits for whoever holds it. Nothing once a stop is requested.
  [[nodiscard]] std::optional<Held> hold(const std::string& name, const std::stop_token& stop) {
    if (owner_ != os::process_id()) return std::optional<Held>(std::in_place, nullptr, name);
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [&] { return !held_.contains(name); })) return std::nullopt;
    held_.insert(name);
    return std::optional<Held>(std::in_place, this, name);
  }

 private:
  void give_back(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    held_.erase(name);
    changed_.notify_all();
  }

  const std::uint32_t owner_ = os::process_id();
  std::mutex mutex_;
  Condition changed_;
  std::set<std::string> held_;
};

}  // namespace lazaret::core
