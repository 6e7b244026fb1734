#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>

namespace lazaret::test {

/// An engine of tests/tools/engines.sh, which may be stopped, killed and started again. Only one
/// that was started for the tests: its folder says so.
class PrivateEngine {
 public:
  PrivateEngine(std::string kind, const std::string& endpoint);
  PrivateEngine(const PrivateEngine&) = delete;
  PrivateEngine& operator=(const PrivateEngine&) = delete;
  ~PrivateEngine();

  /// And what it mounts after a restart is seen by those whom it has started before.
  [[nodiscard]] bool is_ours() const;
  void stop();
  void go_on();
  /// SIGKILL, and no word to anybody; true when it has gone.
  [[nodiscard]] bool kill() const;
  /// Ends it, where it lives, and starts it.
  [[nodiscard]] bool restart() const;
  /// Whether Docker's containers outlive it, from its next start on.
  void set_live_restore(bool wanted) const;

 private:
  [[nodiscard]] pid_t id() const;
  void signal(int number) const;

  std::string kind_;
  std::string folder_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace lazaret::test
