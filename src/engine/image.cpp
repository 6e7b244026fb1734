#include "engine/image.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "base/try.hpp"
#include "engine/json.hpp"

namespace lazaret::engine::image {
namespace {

constexpr std::size_t kListBytes = 32UL << 20;

Summary summary_of(const nlohmann::json& item) {
  return {text_at(item, "Id"), texts_at(item, "RepoTags"), texts_at(item, "RepoDigests"),
          labels_at(item, "Labels"), number_at(item, "Size").value_or(0)};
}

}  // namespace

Result<nlohmann::json> inspect(const EngineClient& client, std::string_view image,
                               const Call& call) {
  const Operation operation{.doing = "inspecting the image",
                            .method = "GET",
                            .target = Target("images").reference(image).word("json"),
                            .subject = Subject::image};
  LAZARET_TRY(const http::Response response, client.transact(operation, call));
  return parse_object(response.body).within(operation.doing);
}

Result<std::vector<Summary>> list(const EngineClient& client,
                                  const std::vector<std::string>& labels, const Call& call) {
  LAZARET_TRY(const std::string filters, filters_of({{"label", labels}}));
  const Operation operation{.doing = "listing images",
                            .method = "GET",
                            .target = Target("images").word("json").query_if("filters", filters),
                            .cap_bytes = kListBytes};
  LAZARET_TRY(const http::Response response, client.transact(operation, call));
  LAZARET_TRY(const nlohmann::json items, parse_json(response.body).within(operation.doing));
  if (!items.is_array()) return Error(Errc::protocol, operation.doing + ": not a list");
  std::vector<Summary> summaries;
  for (const nlohmann::json& item : items) summaries.push_back(summary_of(item));
  return summaries;
}

Status remove(const EngineClient& client, std::string_view image, const Call& call) {
  const auto response = client.transact({.doing = "removing the image",
                                         .method = "DELETE",
                                         .target = Target("images").reference(image),
                                         .subject = Subject::image},
                                        call);
  if (response.ok() || response.error().code() == Errc::image_missing) return {};
  return response.error();
}

}  // namespace lazaret::engine::image
