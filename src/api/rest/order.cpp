#include "api/rest/order.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "api/rest/bounds.hpp"
#include "base/try.hpp"
#include "core/request_json.hpp"

namespace lazaret::rest {
namespace {

Result<bool> flag_of(const char* name, const nlohmann::json& value) {
  if (value.is_boolean()) return value.get<bool>();
  return Error(Errc::invalid_argument, std::string(name) + " must be true or false");
}

Status put_detach(Order& order, const nlohmann::json& value) {
  LAZARET_TRY(const bool detach, flag_of("detach", value));
  if (detach) order.tie = Tie::detached;
  return {};
}

Status put_stream_stdin(Order& order, const nlohmann::json& value) {
  LAZARET_TRY(const bool streamed, flag_of("stream_stdin", value));
  if (streamed) order.input = InputKind::streamed;
  return {};
}

Status put_stream_artifacts(Order& order, const nlohmann::json& value) {
  LAZARET_TRY(order.streams_artifacts, flag_of("stream_artifacts", value));
  return {};
}

Status put_session(Order& order, const nlohmann::json& value) {
  if (!value.is_string()) return Error(Errc::invalid_argument, "session must be a string");
  order.session = value.get<std::string>();
  return {};
}

struct Member {
  const char* name;
  Status (*put)(Order& order, const nlohmann::json& value);
};
// What the daemon decides; the rest belongs to core.
constexpr std::array kMembers = {Member{"detach", put_detach},
                                 Member{"stream_stdin", put_stream_stdin},
                                 Member{"stream_artifacts", put_stream_artifacts},
                                 Member{"session", put_session}};

Status check(Desk& desk, const ExecutionRequest& request, const KeptSession* session) {
  return session != nullptr ? session->session->check(request) : desk.service.check(request);
}

}  // namespace

std::vector<std::string_view> order_members() {
  std::vector<std::string_view> names = core::request_members();
  for (const Member& member : kMembers) names.emplace_back(member.name);
  return names;
}

Result<Order> order_of(const std::string& text) {
  auto object = nlohmann::json::parse(text, nullptr, false);
  if (!object.is_object())
    return Error(Errc::invalid_argument, "the body is not a JSON object in UTF-8");
  Order order;
  for (const auto& [name, put] : kMembers) {
    const auto found = object.find(name);
    if (found == object.end()) continue;
    LAZARET_CHECK(put(order, *found));
    object.erase(found);
  }
  order.says_language = object.contains("language");
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
    if (!order.says_language) order.request.language = session->session->spec().language;
  }
  if (const Status checked = check(desk, order.request, session.get()); !checked.ok())
    return problem_of(checked.error());
  auto run = desk.runs.start(std::move(order.request), order.tie, output, std::move(session));
  if (run) return run;
  return Problem{429, "queue_full", "as many runs, or as many bytes of their requests, wait as may",
                 "try again later, or start the daemon with a longer --queue", Bounds::kRetry};
}

}  // namespace lazaret::rest
