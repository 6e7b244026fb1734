#pragma once

#include <stop_token>
#include <string>

#include "api/cli/daemon.hpp"
#include "os/user.hpp"

namespace lazaret::cli {

/// What one command asks of this user's daemon, one question after the other; an interrupt gives it
/// up.
class Errand {
 public:
  Errand() = default;
  Errand(const Errand&) = delete;
  Errand& operator=(const Errand&) = delete;

  /// As ask_daemon().
  [[nodiscard]] Result<std::string> ask(const Question& question) const;
  /// Tells of what stands in the way, and gives the exit status for it.
  [[nodiscard]] int fail(const Error& error) const;

 private:
  std::stop_source stop_;
  const os::InterruptWatch watch_{[this] { stop_.request_stop(); }};
};

/// An id becomes a part of a path: what is wrong with this one, or nothing.
[[nodiscard]] std::string flaw_of_id(const std::string& word);

}  // namespace lazaret::cli
