#include "api/cli/errand.hpp"

#include <chrono>
#include <nlohmann/json.hpp>

#include "api/cli/app.hpp"
#include "api/cli/command.hpp"
#include "base/try.hpp"

namespace lazaret::cli {
namespace {

bool is_id(const std::string& word) {
  return word.size() == 32 && word.find_first_not_of("0123456789abcdef") == word.npos;
}

}  // namespace

Call Errand::call() const {
  constexpr std::chrono::minutes kMostWait{15};  // for packages, which have ten
  return Call{Deadline::never(), stop_.get_token()}.within(kMostWait);
}

// What follows may take long, and would not tell one that is stopped, or ending, from one at work.
Status Errand::knock() {
  constexpr std::chrono::seconds kMostSilence{10};
  if (answered_) return {};
  const auto health = ask_daemon({"GET", "/v1/health"}, call().within(kMostSilence));
  answered_ = health.ok();
  if (health.ok() || health.error().code() != Errc::timed_out)
    return health.ok() ? Status() : health.error();
  return Error(Errc::backend_unavailable, "your daemon does not answer")
      .with_hint("it is stopped, or ending: try again once it has ended and another one runs");
}

Result<std::string> Errand::ask(const Question& question) {
  LAZARET_CHECK(knock());
  return ask_daemon(question, call());
}

Result<http::Exchange> Errand::open(const Question& question) {
  LAZARET_CHECK(knock());
  return open_daemon(question, call());
}

Result<std::string> Errand::more_of(http::Exchange& answer) const { return answer.piece(call()); }

Status Errand::send_archive(const std::string& target, const http::BodySource& archive) {
  LAZARET_CHECK(knock());
  return cli::send_archive(target, archive, call());
}

Result<std::string> Errand::start_job(const ExecutionRequest& request, const std::string& session) {
  LAZARET_CHECK(knock());
  return cli::start_job(request, session, call());
}

int Errand::fail(const Error& error) const {
  return stop_.stop_requested() ? kInterrupted : complain(error, status_of_refusal(error.code()));
}

std::string text_in(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return "-";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

std::string flaw_of_id(const std::string& word) {
  return is_id(word) ? "" : "no id of a session: " + word;
}

std::string flaw_of_job(const std::string& word) {
  return is_id(word) ? "" : "no id of a job: " + word;
}

}  // namespace lazaret::cli
