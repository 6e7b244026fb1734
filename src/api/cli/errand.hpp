#pragma once

#include <nlohmann/json_fwd.hpp>
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

  /// As ask_daemon(); a daemon that answers nothing at all is not waited for.
  [[nodiscard]] Result<std::string> ask(const Question& question);
  /// As open_daemon(), likewise.
  [[nodiscard]] Result<http::Exchange> open(const Question& question);
  /// The next piece of what was opened, empty at its end.
  [[nodiscard]] Result<std::string> more_of(http::Exchange& answer) const;
  /// As cli::send_archive(), likewise.
  [[nodiscard]] Status send_archive(const std::string& target, const http::BodySource& archive);
  /// As cli::start_job(), likewise.
  [[nodiscard]] Result<std::string> start_job(const ExecutionRequest& request,
                                              const std::string& session);
  /// Tells of what stands in the way, and gives the exit status for it.
  [[nodiscard]] int fail(const Error& error) const;

 private:
  [[nodiscard]] Call call() const;
  [[nodiscard]] Status knock();

  bool answered_ = false;
  std::stop_source stop_;
  const os::InterruptWatch watch_{[this] { stop_.request_stop(); }};
};

/// A member of what the daemon answers, as a table shows it: "-" where there is none.
[[nodiscard]] std::string text_in(const nlohmann::json& object, const char* name);

/// An id becomes a part of a path: what is wrong with this one of a session's, or nothing.
[[nodiscard]] std::string flaw_of_id(const std::string& word);
/// The same of a job's.
[[nodiscard]] std::string flaw_of_job(const std::string& word);

}  // namespace lazaret::cli
