#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/call.hpp"
#include "http/exchange.hpp"
#include "lazaret/execution_result.hpp"
#include "lazaret/request.hpp"
#include "policy/config.hpp"

namespace lazaret::cli {

/// Runs in this user's daemon, if there is one of this version and with this configuration that has
/// room; otherwise nothing has happened and nothing of standard input was taken. The result is the
/// one that this process would have come to; when the daemon goes away in the middle, the cause is
/// infrastructure_lost.
[[nodiscard]] std::optional<ExecutionResult> run_in_daemon(const policy::Config& config,
                                                           const ExecutionRequest& request);
/// Runs in a session that this user's daemon keeps. Errors: what the daemon says when it refuses,
/// backend_unavailable where there is none; then nothing has run.
[[nodiscard]] Result<ExecutionResult> run_in_session(const std::string& session,
                                                     const ExecutionRequest& request);

/// Has this user's daemon run it, in the session with this id or, when it is empty, in a box of its
/// own, and waits for nothing: the run's id. Standard input is not carried. Errors as ask_daemon().
[[nodiscard]] Result<std::string> start_job(const ExecutionRequest& request,
                                            const std::string& session, const Call& call);

/// The exit status for such an error.
[[nodiscard]] int status_of_refusal(Errc code) noexcept;

struct Question {
  std::string method;
  std::string target;
  std::string body = {};
  std::size_t most_bytes = 64UL << 20;  ///< of the answer
};
/// The body of this user's daemon's answer. Errors: what it says when it refuses (not_found,
/// conflict, invalid_argument, …), backend_unavailable where there is none, those of the wire.
[[nodiscard]] Result<std::string> ask_daemon(const Question& question, const Call& call);
/// The same answer, of any length, whose body is still to be read.
[[nodiscard]] Result<http::Exchange> open_daemon(const Question& question, const Call& call);
/// Puts an archive (application/x-tar) of any length there. Errors: as above, and the source's.
[[nodiscard]] Status send_archive(const std::string& target, const http::BodySource& archive,
                                  const Call& call);

}  // namespace lazaret::cli
