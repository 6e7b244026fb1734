#include "engine/exec.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "base/try.hpp"
#include "engine/json.hpp"

namespace lazaret::engine::exec {

Result<std::string> create(const EngineClient& client, std::string_view container,
                           const nlohmann::json& body, const Call& call) {
  LAZARET_TRY(std::string text, json_text(body));
  const Operation operation{.doing = "creating an exec",
                            .method = "POST",
                            .target = Target("containers").id(container).word("exec"),
                            .body = std::move(text),
                            .content_type = "application/json"};
  LAZARET_TRY(const http::Response response, client.transact(operation, call));
  LAZARET_TRY(const nlohmann::json answer, parse_object(response.body).within(operation.doing));
  std::string id = text_at(answer, "Id");
  if (id.empty()) return Error(Errc::protocol, operation.doing + ": the engine names no id");
  return id;
}

Result<std::unique_ptr<AttachStream>> start(const EngineClient& client, std::string_view id,
                                            Framing framing, const Call& call) {
  const nlohmann::json body = {{"Detach", false}, {"Tty", framing == Framing::raw}};
  LAZARET_TRY(std::string text, json_text(body));
  LAZARET_TRY(http::Exchange::Stream stream,
              client.hijack({.doing = "starting an exec",
                             .method = "POST",
                             .target = Target("exec").id(id).word("start"),
                             .body = std::move(text),
                             .content_type = "application/json"},
                            call));
  return std::make_unique<AttachStream>(std::move(stream), framing);
}

Result<Inspection> inspect(const EngineClient& client, std::string_view id, const Call& call) {
  const Operation operation{
      .doing = "inspecting an exec", .method = "GET", .target = Target("exec").id(id).word("json")};
  LAZARET_TRY(const http::Response response, client.transact(operation, call));
  LAZARET_TRY(const nlohmann::json answer, parse_object(response.body).within(operation.doing));

  Inspection result;
  result.pid = number_at(answer, "Pid").value_or(0);
  if (flag_at(answer, "Running").value_or(false)) {
    result.state = State::running;
    return result;
  }
  // Podman gives a code of 0 to an exec that has not begun; what may be removed has ended.
  const bool ended = client.kind() == Kind::docker || flag_at(answer, "CanRemove").value_or(false);
  const auto code = number_at(answer, "ExitCode");
  if (!ended || !code) return result;
  result.state = State::exited;
  result.exit_code = *code;
  return result;
}

}  // namespace lazaret::engine::exec
