#include "api/rest/answer.hpp"

#include <boost/beast/http/status.hpp>
#include <nlohmann/json.hpp>

namespace lazaret::rest {
namespace {

unsigned status_of(Errc code) noexcept {
  switch (code) {
    case Errc::invalid_argument: return 422;
    case Errc::too_large: return 413;
    case Errc::permission_denied: return 403;
    case Errc::not_found:
    case Errc::image_missing: return 404;
    case Errc::conflict: return 409;
    case Errc::unsupported: return 501;
    case Errc::timed_out: return 504;
    case Errc::connection_refused:
    case Errc::connection_lost:
    case Errc::protocol:
    case Errc::engine: return 502;
    case Errc::cancelled:
    case Errc::backend_unavailable:
    case Errc::enforcement_mismatch:
    case Errc::start_failed: return 503;
    case Errc::system: return 500;
  }
  return 500;
}

}  // namespace

std::string reason_of(unsigned status) {
  const auto reason =
      boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(status));
  return {reason.data(), reason.size()};
}

Answer answer_of(const Problem& problem, const std::string& request_id) {
  nlohmann::ordered_json json = {{"type", "urn:lazaret:problem:" + problem.code},
                                 {"title", reason_of(problem.status)},
                                 {"status", problem.status},
                                 {"detail", problem.detail}};
  if (!problem.hint.empty()) json["hint"] = problem.hint;
  json["request_id"] = request_id;
  Answer answer{problem.status, "application/problem+json",
                json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)};
  if (problem.retry_after)
    answer.headers.emplace_back("Retry-After", std::to_string(problem.retry_after->count()));
  if (!problem.allow.empty()) answer.headers.emplace_back("Allow", problem.allow);
  if (!problem.challenge.empty())
    answer.headers.emplace_back("WWW-Authenticate", problem.challenge);
  return answer;
}

Problem problem_of(const Error& error) {
  return {status_of(error.code()), std::string(name_of(error.code())), error.message(),
          error.hint()};
}

}  // namespace lazaret::rest
