#include "engine/volume.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "base/try.hpp"
#include "engine/json.hpp"

namespace lazaret::engine::volume {
namespace {

Result<Volume> volume_of(const nlohmann::json& item) {
  Volume volume{text_at(item, "Name"), text_at(item, "Driver"), text_at(item, "Mountpoint"),
                labels_at(item, "Labels")};
  if (volume.name.empty()) return Error(Errc::protocol, "the engine names no volume");
  return volume;
}

Result<Volume> volume_from(const EngineClient& client, const Operation& operation,
                           const Call& call) {
  LAZARET_TRY(const http::Response response, client.transact(operation, call));
  LAZARET_TRY(const nlohmann::json item, parse_object(response.body).within(operation.doing));
  return volume_of(item).within(operation.doing);
}

}  // namespace

Result<Volume> create(const EngineClient& client, std::string_view name,
                      const std::map<std::string, std::string>& labels, const Call& call) {
  const nlohmann::json body = {{"Name", name}, {"Driver", "local"}, {"Labels", labels}};
  LAZARET_TRY(std::string text, json_text(body));
  return volume_from(client,
                     {.doing = "creating the volume",
                      .method = "POST",
                      .target = Target("volumes").word("create"),
                      .body = std::move(text),
                      .content_type = "application/json"},
                     call);
}

Result<Volume> inspect(const EngineClient& client, std::string_view name, const Call& call) {
  return volume_from(
      client,
      {.doing = "inspecting the volume", .method = "GET", .target = Target("volumes").id(name)},
      call);
}

Result<std::vector<Volume>> list(const EngineClient& client, const std::vector<std::string>& labels,
                                 const Call& call) {
  LAZARET_TRY(const std::string filters, filters_of({{"label", labels}}));
  const Operation operation{.doing = "listing volumes",
                            .method = "GET",
                            .target = Target("volumes").query_if("filters", filters)};
  LAZARET_TRY(const http::Response response, client.transact(operation, call));
  LAZARET_TRY(const nlohmann::json answer, parse_object(response.body).within(operation.doing));
  std::vector<Volume> volumes;
  const nlohmann::json& items = member(answer, "Volumes");
  if (!items.is_array()) return volumes;  // Docker says null for none
  for (const nlohmann::json& item : items) {
    LAZARET_TRY(Volume volume, volume_of(item).within(operation.doing));
    volumes.push_back(std::move(volume));
  }
  return volumes;
}

Status remove(const EngineClient& client, std::string_view name, const Call& call) {
  const auto response = client.transact(
      {.doing = "removing the volume", .method = "DELETE", .target = Target("volumes").id(name)},
      call);
  if (response.ok() || response.error().code() == Errc::not_found) return {};
  return response.error();
}

}  // namespace lazaret::engine::volume
