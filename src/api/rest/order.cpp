#include "api/rest/order.hpp"

#include <nlohmann/json.hpp>

#include "base/try.hpp"
#include "core/request_json.hpp"

namespace lazaret::rest {
namespace {

constexpr std::chrono::seconds kRetry{1};

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
  LAZARET_TRY(order.request, core::request_of(object));
  return order;
}

Problem draining() { return {503, "draining", "the daemon is ending", "ask the next one", kRetry}; }

std::variant<std::shared_ptr<Run>, Problem> admit(Desk& desk, Order order, Output output) {
  if (desk.draining) return draining();
  if (const Status checked = desk.service.check(order.request); !checked.ok())
    return problem_of(checked.error());
  auto run = desk.runs.start(std::move(order.request), order.tie, output);
  if (run) return run;
  return Problem{429, "queue_full", "as many runs wait as may",
                 "try again later, or start the daemon with a longer --queue", kRetry};
}

}  // namespace lazaret::rest
