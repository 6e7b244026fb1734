#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/service.hpp"
#include "unit/core/fake_backend.hpp"

namespace lazaret::core::test {

// A world with some backends, which notes what it is asked for.
struct World {
  std::map<backend::BackendKind, std::shared_ptr<FakeBackend>> backends;  // shared with the service
  std::map<backend::BackendKind, Error> errors;
  std::vector<backend::BackendKind> asked;

  std::shared_ptr<Script> add(backend::BackendKind kind) {
    auto script = std::make_shared<Script>();
    script->runner = exits_with(0);
    backends[kind] = std::make_shared<FakeBackend>(script, std::string(name_of(kind)));
    return script;
  }
  std::shared_ptr<Script> refuses(backend::BackendKind kind, Error error) {
    auto script = add(kind);
    backends[kind]->refusal = std::move(error);
    return script;
  }
  void lacks(backend::BackendKind kind, Error error) { errors.emplace(kind, std::move(error)); }
  BackendFinder finder() {
    return [this](backend::BackendKind kind, const Call&) {
      asked.push_back(kind);
      backend::Found found;
      if (const auto at = backends.find(kind); at != backends.end()) found.backend = at->second;
      if (const auto at = errors.find(kind); at != errors.end()) found.error = at->second;
      return found;
    };
  }
};

inline policy::Config config_of(policy::BackendType type,
                                policy::FallbackRule fallback = policy::FallbackRule::allow) {
  policy::Config config;
  config.type = type;
  config.fallback = fallback;
  return config;
}

inline ExecutionRequest python(std::string code = "1") {
  ExecutionRequest request;
  request.code = std::move(code);
  return request;
}

}  // namespace lazaret::core::test
