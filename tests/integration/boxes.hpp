#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/client.hpp"

namespace lazaret::test {

/// The boxes that one process has, as the kernel and the engine show them.
class BoxesOf {
 public:
  /// `backend` is one for which options_for() has an answer; `maker` lives.
  BoxesOf(const std::string& backend, pid_t maker);

  /// Those that run: containers by their ids, native boxes by the number of their first process.
  [[nodiscard]] std::set<std::string> ids() const;
  /// All processes in them, and natively the spawner's.
  [[nodiscard]] std::vector<pid_t> processes() const;
  /// By what an engine's processes, mounts and cgroups for them can be told: ids, the names of
  /// containers and volumes, where their file systems are mounted.
  [[nodiscard]] std::set<std::string> words() const;
  /// What the engine has with the labels of that process; natively nothing.
  [[nodiscard]] std::vector<std::string> on_the_engine() const;
  /// By the engine, from outside; natively by the kernel.
  void kill(const std::set<std::string>& boxes) const;
  /// Until an interpreter with this program ("bash") waits and all boxes stay as they are; those.
  [[nodiscard]] std::set<std::string> settled(const std::string& program) const;

  /// Of an engine.
  [[nodiscard]] const engine::EngineClient& client() const { return *client_; }

 private:
  [[nodiscard]] bool has(const std::string& program) const;

  pid_t maker_;
  std::vector<std::string> labels_;
  std::string endpoint_;
  std::optional<engine::EngineClient> client_;
};

/// Whether a second passes in which none of these comes or goes, and all of them together, one of
/// which is this program, use no more than the time of two clock ticks and are woken a few times at
/// most.
[[nodiscard]] bool rest(const std::function<std::vector<pid_t>()>& processes,
                        const std::string& program);

}  // namespace lazaret::test
