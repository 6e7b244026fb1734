#include "api/rest/order.hpp"

#include <nlohmann/json.hpp>

#include "api/rest/bounds.hpp"
#include "base/try.hpp"
#include "core/request_json.hpp"

namespace lazaret::rest {
namespace {

// Takes a member out of the object; what is left belongs to core.
Result<bool> take_flag(nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return false;
  if (!found->is_boolean())
    return Error(Errc::invalid_argument, std::string(name) + " must be true or false");
  const bool flag = found->get<bool>();
  object.erase(found);
  return flag;
}

Result<std::optional<std::string>> take_text(nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return std::optional<std::string>();
  if (!found->is_string())
    return Error(Errc::invalid_argument, std::string(name) + " must be a string");
  std::optional<std::string> text = found->get<std::string>();
  object.erase(found);
  return text;
}

Status check(Desk& desk, const ExecutionRequest& request, const KeptSession* session) {
  return session != nullptr ? session->session->check(request) : desk.service.check(request);
}

}  // namespace

Result<Order> order_of(const std::string& text) {
  auto object = nlohmann::json::parse(text, nullptr, false);
  if (!object.is_object())
    return Error(Errc::invalid_argument, "the body is not a JSON object in UTF-8");
  Order order;
  LAZARET_TRY(const bool detach, take_flag(object, "detach"));
  if (detach) order.tie = Tie::detached;
  LAZARET_TRY(const bool streamed, take_flag(object, "stream_stdin"));
  if (streamed) order.input = InputKind::streamed;
  LAZARET_TRY(order.session, take_text(object, "session"));
  LAZARET_TRY(order.request, core::request_of(object));
  return order;
}

Problem draining() {
  return {503, "draining", "the daemon is ending", "ask the next one", Bounds::kRetry};
}

Problem no_such_session() {
  return {404, "no_such_session", "no session has this id, or it ended a while ago",
          "GET /v1/sessions shows those that there are"};
}

std::variant<std::shared_ptr<KeptSession>, Problem> session_of(Desk& desk, const std::string& id) {
  auto session = desk.sessions.find(id);
  if (!session) return no_such_session();
  const SessionState state = session->session->state();
  if (state == SessionState::ready) return session;
  return Problem{409, "session_over", "the session is " + std::string(name_of(state)),
                 "make another one"};
}

std::variant<std::shared_ptr<Run>, Problem> admit(Desk& desk, Order order, Output output) {
  if (desk.draining) return draining();
  std::shared_ptr<KeptSession> session;
  if (order.session) {
    auto found = session_of(desk, *order.session);
    if (const auto* const problem = std::get_if<Problem>(&found)) return *problem;
    session = std::get<std::shared_ptr<KeptSession>>(std::move(found));
  }
  if (const Status checked = check(desk, order.request, session.get()); !checked.ok())
    return problem_of(checked.error());
  auto run = desk.runs.start(std::move(order.request), order.tie, output, std::move(session));
  if (run) return run;
  return Problem{429, "queue_full", "as many runs wait as may",
                 "try again later, or start the daemon with a longer --queue", Bounds::kRetry};
}

}  // namespace lazaret::rest
