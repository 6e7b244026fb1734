#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "integration/daemon.hpp"

namespace lazaret::test {

/// A daemon that makes boxes ahead, with an engine that may come to grief. All of its runs are of
/// one kind of box.
class PooledDaemon {
 public:
  /// `type` is "docker" or "podman", `most` how many boxes wait at once.
  PooledDaemon(const std::string& type, const std::string& endpoint, std::size_t most);

  [[nodiscard]] const Daemon& daemon() const { return *daemon_; }
  [[nodiscard]] Reply run(const std::string& code) const;
  /// Runs at once until so many boxes wait as may.
  void fill() const;
  [[nodiscard]] Json pool() const;
  [[nodiscard]] bool is_full() const;
  /// Healthy, the next runs well, the pool full again; what has had trouble may take its time.
  void expect_to_recover() const;
  /// Ends the daemon as its users do; then nothing labelled as its is left.
  void expect_to_leave_nothing(const std::string& engine);

 private:
  std::size_t most_;
  std::unique_ptr<Daemon> daemon_;
};

/// The cause that a run's answer names.
[[nodiscard]] std::string cause_of(const Reply& reply);
[[nodiscard]] bool is_made_ahead(const Reply& reply);

}  // namespace lazaret::test
