#include "api/cli/errand.hpp"

#include <chrono>

#include "api/cli/app.hpp"
#include "api/cli/command.hpp"

namespace lazaret::cli {

Result<std::string> Errand::ask(const Question& question) const {
  constexpr std::chrono::minutes kMostWait{10};  // an engine that makes a box on a busy machine
  return ask_daemon(question, Call{Deadline::never(), stop_.get_token()}.within(kMostWait));
}

int Errand::fail(const Error& error) const {
  return stop_.stop_requested() ? kInterrupted : complain(error, status_of_refusal(error.code()));
}

std::string flaw_of_id(const std::string& word) {
  const bool is_one = word.size() == 32 && word.find_first_not_of("0123456789abcdef") == word.npos;
  return is_one ? "" : "no id of a session: " + word;
}

}  // namespace lazaret::cli
