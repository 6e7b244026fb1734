#include "core/ready.hpp"

#include <string>
#include <utility>

#include "base/try.hpp"
#include "core/languages.hpp"
#include "policy/resolve.hpp"

namespace lazaret::core {
namespace {

Status check_count(const policy::PoolSize& pool) {
  std::uint32_t count = 0;
  for (const auto& [language, each] : pool.ready) count += each;
  if (count <= pool.most) return {};
  return Error(Errc::invalid_argument, "pool.ready has " + std::to_string(count) +
                                           " wait, above pool.most, which is " +
                                           std::to_string(pool.most))
      .with_hint("raise pool.most, or have fewer wait");
}

ExecutionRequest plain_request(const std::string& language) {
  ExecutionRequest request;
  request.language = language;
  request.code = ".";  // any: it is no part of a kind
  return request;
}

}  // namespace

Result<std::vector<Ready>> ready_in(const policy::Config& config,
                                    std::chrono::milliseconds default_grace) {
  std::vector<Ready> all;
  if (config.pool.most == 0) return all;
  LAZARET_CHECK(check_count(config.pool));
  const policy::Facts facts{languages(), default_grace};
  for (const auto& [language, count] : config.pool.ready) {
    auto spec = policy::resolve(plain_request(language), config, facts);
    if (!spec.ok()) return std::move(spec).error().within("pool.ready");
    all.push_back({std::move(spec).value(), count});
  }
  return all;
}

}  // namespace lazaret::core
