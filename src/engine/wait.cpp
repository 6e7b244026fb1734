#include "engine/wait.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "base/try.hpp"
#include "engine/failure.hpp"
#include "engine/json.hpp"

namespace lazaret::engine::container {
namespace {

std::string_view condition_of(Until until) noexcept {
  switch (until) {
    case Until::not_running: return "not-running";
    case Until::next_exit: return "next-exit";
    case Until::removed: return "removed";
  }
  return "";
}

Result<ExitStatus> status_of(const nlohmann::json& answer) {
  const auto code = number_at(answer, "StatusCode");
  if (!code) return Error(Errc::protocol, "the engine's answer has no status code");
  return ExitStatus{*code, one_line(text_at(member(answer, "Error"), "Message"))};
}

}  // namespace

Wait::Wait(http::Exchange exchange, Operation operation, bool confirmed)
    : exchange_(std::move(exchange)), operation_(std::move(operation)), confirmed_(confirmed) {}

Result<Wait> Wait::open(const EngineClient& client, std::string_view id, Until until,
                        const Call& call) {
  Operation operation{
      .doing = "waiting for the container",
      .method = "POST",
      .target = Target("containers").id(id).word("wait").query("condition", condition_of(until))};
  LAZARET_TRY(http::Exchange exchange, client.open(operation, call));
  const bool confirms = client.kind() == Kind::docker;
  if (confirms) LAZARET_CHECK(accepted_head(exchange, operation, client.bounded(operation, call)));
  return Wait(std::move(exchange), std::move(operation), confirms);
}

Result<ExitStatus> Wait::finish(const Call& call) {
  if (!confirmed_) LAZARET_CHECK(accepted_head(exchange_, operation_, call));
  confirmed_ = true;
  LAZARET_TRY(const std::string body,
              exchange_.body(operation_.cap_bytes, call).within(operation_.doing));
  LAZARET_TRY(const nlohmann::json answer, parse_object(body).within(operation_.doing));
  return status_of(answer).within(operation_.doing);
}

Result<ExitStatus> wait(const EngineClient& client, std::string_view id, Until until,
                        const Call& call) {
  LAZARET_TRY(Wait pending, Wait::open(client, id, until, call));
  return pending.finish(call);
}

}  // namespace lazaret::engine::container
