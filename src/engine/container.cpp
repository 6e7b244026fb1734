#include "engine/container.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "base/try.hpp"
#include "engine/failure.hpp"
#include "engine/json.hpp"
#include "engine/wait.hpp"

namespace lazaret::engine::container {
namespace {

constexpr std::size_t kListBytes = 32UL << 20;

Target of(std::string_view id) { return Target("containers").id(id); }

Result<nlohmann::json> object_from(const EngineClient& client, const Operation& operation,
                                   const Call& call) {
  LAZARET_TRY(const http::Response response, client.transact(operation, call));
  return parse_object(response.body).within(operation.doing);
}

Summary summary_of(const nlohmann::json& item) {
  return {text_at(item, "Id"), texts_at(item, "Names"), text_at(item, "State"),
          labels_at(item, "Labels"), number_at(item, "Created").value_or(0)};
}

}  // namespace

Result<CreateResult> create(const EngineClient& client, std::string_view name,
                            const nlohmann::json& body, const Call& call) {
  LAZARET_TRY(std::string text, json_text(body));
  const Operation operation{.doing = "creating the container",
                            .method = "POST",
                            .target = Target("containers").word("create").query_if("name", name),
                            .body = std::move(text),
                            .content_type = "application/json",
                            .subject = Subject::image};
  auto answer = object_from(client, operation, call);
  if (!answer.ok()) {
    if (answer.error().code() != Errc::image_missing) return std::move(answer).error();
    return std::move(answer).error().with_hint(
        "pull it first: " + std::string(name_of(client.kind())) + " pull " +
        one_line(text_at(body, "Image")));
  }
  CreateResult result{text_at(*answer, "Id"), texts_at(*answer, "Warnings")};
  if (result.id.empty()) {
    return Error(Errc::protocol, "creating the container: the engine names no id");
  }
  return result;
}

Result<nlohmann::json> inspect(const EngineClient& client, std::string_view id, const Call& call) {
  return object_from(
      client, {.doing = "inspecting the container", .method = "GET", .target = of(id).word("json")},
      call);
}

Status start(const EngineClient& client, std::string_view id, const Call& call) {
  const auto response = client.transact(
      {.doing = "starting the container", .method = "POST", .target = of(id).word("start")}, call);
  return response.ok() ? Status() : Status(response.error());
}

Status kill(const EngineClient& client, std::string_view id, std::string_view signal,
            const Call& call) {
  const auto response = client.transact({.doing = "killing the container",
                                         .method = "POST",
                                         .target = of(id).word("kill").query("signal", signal)},
                                        call);
  return response.ok() ? Status() : Status(response.error());
}

Status remove(const EngineClient& client, std::string_view id, Volumes volumes, const Call& call) {
  const std::string_view with_volumes = volumes == Volumes::remove ? "1" : "0";
  const Operation operation{.doing = "removing the container",
                            .method = "DELETE",
                            .target = of(id).query("force", "1").query("v", with_volumes)};
  const Call bounded = client.bounded(operation, call);
  const auto response = client.transact(operation, bounded);
  if (response.ok() || response.error().code() == Errc::not_found) return {};
  if (response.error().code() != Errc::conflict) return response.error();
  // By force, a conflict means that somebody else is removing it already.
  const auto gone = wait(client, id, Until::removed, bounded);
  if (!gone.ok() && gone.error().code() != Errc::not_found) return gone.error();
  if (!gone.ok() || gone->error.empty()) return {};
  return Error(Errc::engine, operation.doing + ": " + gone->error);  // they did not manage to
}

Result<std::vector<Summary>> list(const EngineClient& client, const ListOptions& options,
                                  const Call& call) {
  LAZARET_TRY(const std::string filters, filters_of({{"label", options.labels}}));
  const Operation operation{.doing = "listing containers",
                            .method = "GET",
                            .target = Target("containers")
                                          .word("json")
                                          .query("all", options.running_only ? "0" : "1")
                                          .query_if("filters", filters),
                            .cap_bytes = kListBytes};
  LAZARET_TRY(const http::Response response, client.transact(operation, call));
  LAZARET_TRY(const nlohmann::json items, parse_json(response.body).within(operation.doing));
  if (!items.is_array()) return Error(Errc::protocol, operation.doing + ": not a list");
  std::vector<Summary> summaries;
  for (const nlohmann::json& item : items) summaries.push_back(summary_of(item));
  return summaries;
}

Result<nlohmann::json> stats(const EngineClient& client, std::string_view id, const Call& call) {
  return object_from(client,
                     {.doing = "reading the container's counters",
                      .method = "GET",
                      .target = of(id).word("stats").query("stream", "0").query("one-shot", "1")},
                     call);
}

Result<TopResult> top(const EngineClient& client, std::string_view id,
                      std::string_view ps_arguments, const Call& call) {
  const Operation operation{.doing = "listing the container's processes",
                            .method = "GET",
                            .target = of(id).word("top").query_if("ps_args", ps_arguments)};
  LAZARET_TRY(const http::Response response, client.transact(operation, call));
  TopResult result;
  if (response.body.empty()) return result;
  LAZARET_TRY(const nlohmann::json answer, parse_object(response.body).within(operation.doing));
  result.titles = texts_at(answer, "Titles");
  const nlohmann::json& processes = member(answer, "Processes");
  if (!processes.is_array()) return result;
  for (const nlohmann::json& process : processes) {
    result.processes.push_back(texts_at({{"row", process}}, "row"));
  }
  return result;
}

}  // namespace lazaret::engine::container
