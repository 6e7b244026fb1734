#include "core/ready.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/try.hpp"
#include "core/languages.hpp"
#include "core/request_json.hpp"
#include "policy/resolve.hpp"

namespace lazaret::core {
namespace {

Status check_count(const policy::PoolSize& pool) {
  std::uint32_t count = 0;
  for (const auto& [wish, each] : pool.ready) count += each;
  if (count <= pool.most) return {};
  return Error(Errc::invalid_argument, "pool.ready has " + std::to_string(count) +
                                           " wait, above pool.most, which is " +
                                           std::to_string(pool.most))
      .with_hint("raise pool.most, or have fewer wait");
}

ExecutionRequest plain_request(const std::string& language) {
  ExecutionRequest request;
  request.language = language;
  return request;
}

// What it runs is no part of a kind of box.
Result<ExecutionRequest> request_like(const std::string& wish) {
  const bool is_language = !wish.starts_with('{');
  LAZARET_TRY(ExecutionRequest request,
              is_language ? Result<ExecutionRequest>(plain_request(wish))
                          : request_of(nlohmann::json::parse(wish, nullptr, false)));
  if (request.command.empty() && request.code.empty()) request.code = ".";
  if (request.packages.empty()) return request;
  return Error(Errc::unsupported, "packages are fetched for who asks for them");
}

}  // namespace

Result<std::vector<Ready>> ready_in(const policy::Config& config,
                                    std::chrono::milliseconds default_grace) {
  std::vector<Ready> all;
  if (config.pool.most == 0) return all;
  LAZARET_CHECK(check_count(config.pool));
  const policy::Facts facts{languages(), default_grace};
  for (const auto& [wish, count] : config.pool.ready) {
    const auto request = request_like(wish);
    if (!request.ok()) return Error(request.error()).within("pool.ready");
    auto spec = policy::resolve(*request, config, facts);
    if (!spec.ok()) return std::move(spec).error().within("pool.ready");
    all.push_back({std::move(spec).value(), count});
  }
  return all;
}

}  // namespace lazaret::core
