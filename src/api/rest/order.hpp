#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/rest/answer.hpp"
#include "api/rest/desk.hpp"
#include "api/rest/runs.hpp"
#include "lazaret/result.hpp"

namespace lazaret::rest {

/// How standard input comes: with the request, or message by message after it.
enum class InputKind { whole, streamed };

/// A run as it is asked for over REST: the request, and how the daemon is to treat it.
struct Order {
  ExecutionRequest request;
  Tie tie = Tie::attached;
  InputKind input = InputKind::whole;
  bool streams_artifacts = false;      ///< what is left comes before the result, piece by piece
  std::optional<std::string> session;  ///< id of the one that it runs in
  bool says_language = false;          ///< else it is the session's, or python
};

/// Reads core::request_of's object with the members `detach`, `stream_stdin`, `stream_artifacts`
/// and `session`. Errors: invalid_argument.
[[nodiscard]] Result<Order> order_of(const std::string& text);
/// The members that it knows.
[[nodiscard]] std::vector<std::string_view> order_members();

/// What is told to those who come when the daemon is ending.
[[nodiscard]] Problem draining();
/// What is told to those who name a session that there is not.
[[nodiscard]] Problem no_such_session();
/// The session with this id, which can be used; or why there is none.
[[nodiscard]] std::variant<std::shared_ptr<KeptSession>, Problem> session_of(Desk& desk,
                                                                             const std::string& id);
/// The run that was asked for, taken in; or why it cannot be.
[[nodiscard]] std::variant<std::shared_ptr<Run>, Problem> admit(Desk& desk, Order order,
                                                                Output output);

}  // namespace lazaret::rest
