#include "engine/libpod.hpp"

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/try.hpp"
#include "engine/failure.hpp"
#include "engine/json.hpp"

namespace lazaret::engine::libpod {
namespace {

Target libpod() { return Target("libpod"); }

// Podman 4 has one status for everything that goes wrong in a create, so it is asked.
bool is_missing(const EngineClient& client, const std::string& image, const Call& call) {
  const auto found =
      client.transact({.doing = "looking for the image",
                       .method = "GET",
                       .target = libpod().word("images").reference(image).word("exists"),
                       .subject = Subject::image,
                       .surface = Surface::libpod},
                      call);
  return !found.ok() && found.error().code() == Errc::image_missing;
}

}  // namespace

Result<container::CreateResult> create(const EngineClient& client, const nlohmann::json& body,
                                       const Call& call) {
  LAZARET_TRY(std::string text, json_text(body));
  const Operation operation{.doing = "creating the container",
                            .method = "POST",
                            .target = libpod().word("containers").word("create"),
                            .body = std::move(text),
                            .content_type = "application/json",
                            .subject = Subject::image,
                            .surface = Surface::libpod};
  auto response = client.transact(operation, call);
  if (!response.ok()) {
    Error error = std::move(response).error();
    const std::string image = text_at(body, "image");
    const bool missing = error.code() == Errc::image_missing ||
                         (error.code() == Errc::engine && is_missing(client, image, call));
    if (!missing) return error;
    return std::move(error)
        .as(Errc::image_missing)
        .with_hint("pull it first: podman pull " + one_line(image));
  }
  LAZARET_TRY(const nlohmann::json answer, parse_object(response->body).within(operation.doing));
  container::CreateResult result{text_at(answer, "Id"), texts_at(answer, "Warnings")};
  if (result.id.empty()) {
    return Error(Errc::protocol, "creating the container: the engine names no id");
  }
  return result;
}

Result<nlohmann::json> inspect(const EngineClient& client, std::string_view id, const Call& call) {
  const Operation operation{.doing = "inspecting the container",
                            .method = "GET",
                            .target = libpod().word("containers").id(id).word("json"),
                            .surface = Surface::libpod};
  LAZARET_TRY(const http::Response response, client.transact(operation, call));
  return parse_object(response.body).within(operation.doing);
}

}  // namespace lazaret::engine::libpod
