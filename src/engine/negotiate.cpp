#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/try.hpp"
#include "engine/client.hpp"
#include "engine/failure.hpp"
#include "engine/json.hpp"

namespace lazaret::engine {
namespace {

constexpr std::chrono::seconds kPingBound{2};  // P-30
constexpr std::chrono::seconds kVersionBound{30};

Operation asking(const char* word) {
  return {.doing = std::string("asking the engine for /") + word,
          .method = "GET",
          .target = Target(word)};
}

// "Docker/20.10.24 (linux)", "Libpod/4.3.1 (linux)": what an engine calls itself (RFC 9110,
// 10.2.4).
struct Product {
  Kind kind = Kind::docker;
  std::string_view version;
  std::string_view os;
};
std::optional<Product> product_of(std::string_view server) {
  const std::size_t slash = server.find('/');
  const std::size_t opened = server.find(" (");
  if (opened == server.npos || slash > opened || !server.ends_with(')')) return std::nullopt;
  const std::string_view name = server.substr(0, slash);
  if (name != "Docker" && name != "Libpod") return std::nullopt;
  const std::size_t os = opened + 2;
  return Product{name == "Docker" ? Kind::docker : Kind::podman,
                 server.substr(slash + 1, opened - slash - 1),
                 server.substr(os, server.size() - os - 1)};
}

// WHY not always by /version: Podman runs the package manager of its system for that answer, which
// takes it most of a second. Who is older or newer than this client is asked for his whole range.
std::optional<Identity> told_by(const http::ResponseHead& ping) {
  const auto product = product_of(ping.header("Server"));
  const auto newest = parse_api_version(ping.header("Api-Version"));
  if (!product || !newest || *newest < kOldestApi || *newest > kNewestApi) return std::nullopt;
  return Identity{.kind = product->kind,
                  .version = one_line(product->version),
                  .api = {},
                  .oldest_api = kOldestApi,
                  .newest_api = *newest,
                  .os = one_line(product->os)};
}

bool is_podman(const http::ResponseHead& ping, const nlohmann::json& version) {
  if (!ping.header("Libpod-Api-Version").empty()) return true;
  if (ping.header("Server").substr(0, 7) == "Libpod/") return true;
  const nlohmann::json& components = member(version, "Components");
  if (!components.is_array()) return false;
  return std::any_of(components.begin(), components.end(), [](const nlohmann::json& component) {
    return text_at(component, "Name") == "Podman Engine";
  });
}

// /version speaks for the engine; where it does not say, the ping's header must do.
Result<Identity> identity_of(const http::ResponseHead& ping, const nlohmann::json& version) {
  auto newest = parse_api_version(text_at(version, "ApiVersion"));
  if (!newest) newest = parse_api_version(ping.header("Api-Version"));
  if (!newest) return Error(Errc::protocol, "the engine does not say which API it speaks");

  Identity identity;
  identity.kind = is_podman(ping, version) ? Kind::podman : Kind::docker;
  identity.version = one_line(text_at(version, "Version"));
  identity.newest_api = *newest;
  const auto oldest = parse_api_version(text_at(version, "MinAPIVersion"));
  identity.oldest_api = std::min(oldest.value_or(kOldestApi), *newest);
  identity.os = one_line(text_at(version, "Os"));
  return identity;
}

std::string range(ApiVersion oldest, ApiVersion newest) {
  return to_string(oldest) + " to " + to_string(newest);
}

Error nothing_in_common(const Identity& theirs) {
  const bool too_old = theirs.newest_api < kOldestApi;
  return Error(Errc::unsupported, "the engine speaks API " +
                                      range(theirs.oldest_api, theirs.newest_api) +
                                      ", lazaret speaks " + range(kOldestApi, kNewestApi))
      .with_hint(too_old ? "update the engine: Docker 20.10 or Podman 4.3 and later will do"
                         : "update lazaret");
}

Result<ApiVersion> common_version(const Identity& theirs,
                                  const std::optional<std::string>& pinned) {
  const ApiVersion oldest = std::max(theirs.oldest_api, kOldestApi);
  const ApiVersion newest = std::min(theirs.newest_api, kNewestApi);
  if (newest < oldest) return nothing_in_common(theirs);
  if (!pinned) return newest;

  const auto version = parse_api_version(*pinned);
  if (version && *version >= oldest && *version <= newest) return *version;
  return Error(Errc::invalid_argument, "API version \"" + one_line(*pinned) +
                                           "\" cannot be used with this engine, " +
                                           range(oldest, newest) + " can")
      .with_hint("unset DOCKER_API_VERSION");
}

}  // namespace

// Without a version: the one that was spoken may be refused.
Result<http::Response> EngineClient::ask_plainly(const char* word, const Call& call) const {
  const Operation operation = asking(word);
  LAZARET_TRY(http::Exchange exchange,
              send(operation, Manner::close, ApiVersion{}, call).within(operation.doing));
  LAZARET_TRY(http::ResponseHead head, accepted_head(exchange, operation, call));
  LAZARET_TRY(std::string body, exchange.body(operation.cap_bytes, call).within(operation.doing));
  return http::Response{std::move(head), std::move(body)};
}

// One that answers its ping is alive; a Podman at work, which counts its containers and images for
// the other answer, has been seen to take more than ten seconds.
Result<Identity> EngineClient::identify(const Call& call) const {
  LAZARET_TRY(const http::Response ping, ask_plainly("_ping", call.within(kPingBound)));
  auto told = told_by(ping.head);
  if (told && !options_.api_version) return *std::move(told);
  LAZARET_TRY(const http::Response answer, ask_plainly("version", call.within(kVersionBound)));
  LAZARET_TRY(const nlohmann::json version, parse_object(answer.body));
  return identity_of(ping.head, version);
}

Result<EngineClient> EngineClient::negotiate(std::unique_ptr<Dialer> dialer,
                                             const Negotiation& options, const Call& call) {
  EngineClient client(std::move(dialer), options, Identity{});
  LAZARET_TRY(Identity identity, client.identify(call));
  LAZARET_TRY(identity.api, common_version(identity, options.api_version));
  *client.spoken_ = identity.api;
  client.identity_ = std::move(identity);
  return client;
}

// WHY not by the text of the refusal: engines word it differently, and a proxy may. That what the
// engine offers has changed says it for certain.
bool EngineClient::renegotiated(ApiVersion refused, const Call& call) const {
  const auto identity = identify(call);
  if (!identity.ok()) return false;
  const auto common = common_version(*identity, options_.api_version);
  if (!common.ok() || *common == refused) return false;
  *spoken_ = *common;
  return true;
}

}  // namespace lazaret::engine
