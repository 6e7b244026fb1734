#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lazaret/error.hpp"

namespace lazaret::rest {

/// What a request is answered with.
struct Answer {
  unsigned status = 200;
  std::string type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// Why a request is not answered with what it asks for (RFC 9457).
struct Problem {
  unsigned status;
  std::string code;  ///< "queue_full": the end of the problem's type
  std::string detail;
  std::string hint = {};
  std::optional<std::chrono::seconds> retry_after = {};
  std::string allow = {};      ///< methods, for 405
  std::string challenge = {};  ///< for 401 (RFC 9110, 11.6.1)
};

/// As application/problem+json: type, title, status, detail, hint and the request's id.
[[nodiscard]] Answer answer_of(const Problem& problem, const std::string& request_id);
/// A request that was refused at the door, or trouble of ours.
[[nodiscard]] Problem problem_of(const Error& error);
/// The reason phrase of a status (RFC 9110).
[[nodiscard]] std::string reason_of(unsigned status);

}  // namespace lazaret::rest
